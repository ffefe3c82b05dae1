//! The screen: a full frame of 200x60 beside a bare ratatui frame of ten bordered paragraphs of the same size, what is
//! drawn when nothing happens, and how long a seek in a session takes.
//!
//! Its argument is a session; without one a lab of five nodes is simulated for 60 s. The frames are drawn in turns, one of
//! each, so that the machine's moods fall on both; both go through ratatui's own comparison with the frame before. The
//! keys before the frames are the overview's, with flow, paper and log in sight where the screen has room for them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hustings::dashboard::{Offscreen, Options};
use hustings::record::StoredSession;
use hustings_benches::Place;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Paragraph, Wrap};

const SIZE: (u16, u16) = (200, 60);
const FRAMES: usize = 400;
const SEEKS: u64 = 40;

fn main() {
    let place = Place::new();
    let session = match std::env::args().nth(1) {
        Some(path) => PathBuf::from(path),
        None => simulated(&place),
    };
    let began = Instant::now();
    let mut screen = screen_of(&session);
    println!("{}: opened in {:.1} s", session.display(), began.elapsed().as_secs_f64());
    key(&mut screen, KeyCode::End);
    frames(&mut screen);
    idle(&mut screen);
    seeks(&mut screen);
}

/// A lab whose coordinator crashes and returns, again and again.
fn simulated(place: &Place) -> PathBuf {
    let steps: String = (1..30)
        .map(|turn| {
            let line = if turn % 2 == 1 { "crash 5" } else { "recover 5" };
            format!("[[step]]\nname = \"turn {turn}\"\nat = \"{}s\"\ndo = [\"{line}\"]\n", 2 * turn)
        })
        .collect();
    let head = "name = \"turns\"\nabout = \"The coordinator crashes and returns.\"\nalgorithm = \"bully\"\nnodes = 5\nseed = 1\n\
                T = \"200ms\"\ncheck = \"200ms\"\nsilence = \"1s\"\n";
    let expect = "[[expect]]\nthat = \"coordinator 5\"\nwithin = \"25T\"\n";
    let lab = [head, expect, &steps].concat();
    let (file, session) = (place.path("turns.toml"), place.path("turns.jsonl"));
    std::fs::write(&file, lab).expect("the place can be written to");
    let arguments = ["run", "--sim", "--record", path(&session), path(&file)];
    place.run(&arguments).expect("the lab runs");
    session
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of letters")
}

fn screen_of(session: &Path) -> Offscreen {
    let options = Options::of_session(session);
    let stored = StoredSession::open(session).expect("the session can be opened");
    Offscreen::replay(&options, stored, SIZE).expect("the session can be read")
}

fn key(screen: &mut Offscreen, code: KeyCode) {
    screen.press(KeyEvent::new(code, KeyModifiers::NONE));
}

/// One frame of the screen and one bare frame, in turns. Each is drawn onto an empty terminal, so that every cell counts.
fn frames(screen: &mut Offscreen) {
    let mut ours = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a terminal in memory");
    let mut bare = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a terminal in memory");
    let (mut took, mut bare_took) = (Vec::new(), Vec::new());
    for _ in 0..FRAMES {
        ours.clear().expect("memory can be written to");
        let began = Instant::now();
        ours.draw(|frame| screen.draw(frame)).expect("memory can be drawn to");
        took.push(began.elapsed());
        bare.clear().expect("memory can be written to");
        let began = Instant::now();
        bare.draw(ten_paragraphs).expect("memory can be drawn to");
        bare_took.push(began.elapsed());
    }
    let (ours, bare) = (median(&mut took), median(&mut bare_took));
    println!("a frame of {}x{}, median of {FRAMES}: {ours:?}; ten bordered paragraphs: {bare:?}", SIZE.0, SIZE.1);
    println!("  ratio {:.2}", ours.as_secs_f64() / bare.as_secs_f64());
}

/// Ten bordered paragraphs that fill the frame with text.
fn ten_paragraphs(frame: &mut ratatui::Frame<'_>) {
    let Rect { width, height, .. } = frame.area();
    let text = "4 coordinates since 20.416 s: it last heard 5 at 19.015 s, and asked it. ".repeat(40);
    for place in 0..10 {
        let area =
            Rect { x: place % 2 * (width / 2), y: place / 2 * (height / 5), width: width / 2, height: height / 5 };
        let title = format!("paragraph {place}");
        frame.render_widget(
            Paragraph::new(text.as_str()).wrap(Wrap { trim: true }).block(Block::bordered().title(title)),
            area,
        );
    }
}

/// A screen on which nothing happens is drawn once at most, when the older rows have been read.
fn idle(screen: &mut Offscreen) {
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a terminal in memory");
    let (mut draws, mut longest) = (0, Duration::ZERO);
    for tenth in 1..=600 {
        let began = Instant::now();
        screen.tick(Duration::from_secs(60) + Duration::from_millis(tenth * 100));
        longest = longest.max(began.elapsed());
        if screen.has_changed() {
            draws += 1;
            terminal.draw(|frame| screen.draw(frame)).expect("memory can be drawn to");
        }
    }
    println!("a minute in which nothing happens: {draws} frames; its longest turn of the clock: {longest:?}");
}

/// Seeks to places all over the session, each with its frame.
fn seeks(screen: &mut Offscreen) {
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a terminal in memory");
    let mut took = Vec::new();
    // Hundredths of the session, in an order that goes to and fro.
    for turn in 0..SEEKS {
        let hundredth = turn * 37 % 100;
        let began = Instant::now();
        screen.seek_part(hundredth as f64 / 100.0);
        terminal.draw(|frame| screen.draw(frame)).expect("memory can be drawn to");
        took.push(began.elapsed());
    }
    let longest = took.iter().max().copied().unwrap_or_default();
    println!("{SEEKS} seeks, each with its frame: median {:?}, longest {longest:?}", median(&mut took));
}

fn median(took: &mut [Duration]) -> Duration {
    took.sort();
    took[took.len() / 2]
}
