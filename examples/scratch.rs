use botdesk::service::dca_bot::DcaBot;
use botdesk::service::record::Record as _;
use std::hint::black_box;
fn main() {
    let mut a = std::env::args().skip(1);
    let text = std::fs::read_to_string(a.next().unwrap()).unwrap();
    let n: usize = a.next().unwrap().parse().unwrap();
    let one = !text.starts_with('[');
    let begun = std::time::Instant::now();
    for _ in 0..n {
        if one { black_box(DcaBot::from_json(black_box(&text)).unwrap()); }
        else { black_box(DcaBot::list_from_json(black_box(&text)).unwrap()); }
    }
    println!("{:?}", begun.elapsed() / n as u32);
}
