//! Threads that make the value of a process at once.

use std::sync::Arc as Count;
use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::sync::Arc;
use shuttle::thread;

use crate::process::PerProcess;

/// A value that counts how many of its kind there are.
struct CountedDrop(Count<AtomicUsize>);

impl CountedDrop {
    fn new(count: &Count<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Count::clone(count))
    }
}

impl Drop for CountedDrop {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Threads ask for the value at once; for each, true if it can make one.
pub fn threads_make_a_value(can_make: &[bool]) {
    let count = Count::new(AtomicUsize::new(0));
    let place = Arc::new(PerProcess::new());
    let ask = |can_make: &bool| {
        let (place, count, can_make) = (Arc::clone(&place), Count::clone(&count), *can_make);
        thread::spawn(move || {
            let make = || if can_make { Ok(CountedDrop::new(&count)) } else { Err(()) };
            place.get_or_try_init(make).ok().map(|value| std::ptr::from_ref(value) as usize)
        })
    };
    let threads: Vec<_> = can_make.iter().map(ask).collect();
    let seen: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let value = place.get().map(|value| std::ptr::from_ref(value) as usize);
    assert!(value.is_some());
    // A thread that can't make a value has that of another one, or none.
    assert!(seen.iter().zip(can_make).all(|(seen, can_make)| *seen == value || (seen.is_none() && !can_make)));
    assert_eq!(count.load(Ordering::SeqCst), 1);
    drop(place);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}
