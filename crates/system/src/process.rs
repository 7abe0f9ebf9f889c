//! The identity of a process, by which other processes find out that it has ended.

/// A process of this machine. A later process with the same number differs in its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// The process number.
    pub pid: u32,
    /// The start of the process; 0 if unknown.
    pub started: u64,
    /// The namespace of the process number; 0 if unknown. Containers have namespaces of their own.
    pub namespace: u64,
}

impl ProcessIdentity {
    /// Returns the identity of this process.
    pub fn current() -> Self {
        let pid = std::process::id();
        let started = stat(pid).ok().and_then(|stat| start_of(&stat)).unwrap_or_default();
        Self { pid, started, namespace: namespace("pid").unwrap_or_default() }
    }

    /// Returns true if this process has certainly ended; `observer` is the process that asks.
    pub fn has_ended(&self, observer: &Self) -> bool {
        if self.namespace != observer.namespace || self.namespace == 0 || self.started == 0 {
            return false;
        }
        match stat(self.pid) {
            Ok(stat) => is_zombie(&stat) || start_of(&stat).is_some_and(|started| started != self.started),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }
}

/// Returns the number of a namespace of this process.
#[cfg(target_os = "linux")]
pub(crate) fn namespace(kind: &str) -> Option<u64> {
    let link = std::fs::read_link(format!("/proc/self/ns/{kind}")).ok()?;
    link.to_str()?.split_once('[')?.1.strip_suffix(']')?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn namespace(_: &str) -> Option<u64> {
    None
}

fn stat(pid: u32) -> std::io::Result<String> {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
}

/// Returns the fields of `/proc/PID/stat` after the name of the program, which may have spaces.
fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_ascii_whitespace()
}

/// Returns true if the process was killed and its parent has not noticed yet.
fn is_zombie(stat: &str) -> bool {
    fields(stat).next().is_some_and(|state| matches!(state, "Z" | "X"))
}

fn start_of(stat: &str) -> Option<u64> {
    // Field 22 of the line; the third is the first after the name.
    const START: usize = 22 - 3;
    fields(stat).nth(START)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "71 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987 20";

    #[test]
    fn the_start_of_a_process_follows_its_name() {
        assert_eq!(start_of(STAT), Some(987));
        assert!(!is_zombie(STAT));
        assert!(is_zombie("71 (x) Z 1"));
        assert_eq!(start_of("71"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_has_ended_if_its_number_is_free_or_of_another_process() {
        let current = ProcessIdentity::current();
        assert!(!current.has_ended(&current));
        assert!(ProcessIdentity { started: current.started - 1, ..current }.has_ended(&current));
        assert!(ProcessIdentity { pid: u32::MAX, ..current }.has_ended(&current));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ended = ProcessIdentity { pid: child.id(), ..current };
        child.wait().unwrap();
        assert!(ended.has_ended(&current));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_is_known_of_a_process_in_another_namespace() {
        let current = ProcessIdentity::current();
        let elsewhere = ProcessIdentity { pid: u32::MAX, namespace: current.namespace + 1, ..current };
        assert!(!elsewhere.has_ended(&current));
        assert!(!ProcessIdentity { namespace: 0, ..elsewhere }.has_ended(&ProcessIdentity { namespace: 0, ..current }));
    }
}
