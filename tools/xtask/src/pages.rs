//! The pages that `abreast-bench` writes, in a browser: in light and dark, on a desk and on a phone.
//!
//! A script at the end of a copy of each page tells what a reader would notice: the colours that the browser has chosen,
//! whether the page is wider than the window, texts of diagrams that leave them or hide each other, and requests. It is opened in a frame, since the windows of Chromium are no narrower
//! than 500 pixels; the page with the frame gets what the script tells for its title, and Chromium prints it. Complaints of
//! pages are in the log.
//!
//! Then the button of a ladder's page is pressed, once with the module in the page and once with the module in a script beside
//! it, as the book has it. Time must pass as usual for that, so Chromium prints nothing: the page reports to a socket.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::live;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, during, need, run, say};
use crate::workspace::{Workspace, program_of};

/// Widths of windows, of a desk and of a phone.
const WIDTHS: [u32; 2] = [1280, 360];
/// The colour schemes that a reader can ask for: name, Chromium's setting, and the background that the page must have then.
const SCHEMES: [(&str, u32, &str); 2] = [("light", 1, "rgb(255, 255, 255)"), ("dark", 0, "rgb(13, 17, 23)")];

/// Tells the page with the frame what a reader would notice.
const SCRIPT: &str = "<script>
addEventListener('load', () => {
  const root = document.documentElement, paper = getComputedStyle(document.body).backgroundColor;
  const drawn = [...document.querySelectorAll('svg')].filter((svg) => svg.getBoundingClientRect().height > 40).length;
  const white = document.querySelector('svg rect[fill=\"#FFFFFF\"]');
  const sheet = white ? getComputedStyle(white).fill : paper;
  const wide = root.scrollWidth > innerWidth ? 'too wide' : 'fits';
  const asked = performance.getEntriesByType('resource').length;
  let hidden = 0;
  for (const svg of document.querySelectorAll('svg.fig')) {
    const own = svg.getBoundingClientRect();
    if (own.height < 40) continue;
    const boxes = [...svg.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
    boxes.forEach((a, i) => {
      if (a.left < own.left - 1 || a.right > own.right + 1 || a.top < own.top - 1 || a.bottom > own.bottom + 1) hidden++;
      for (const b of boxes.slice(i + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 4) hidden++;
      }
    });
  }
  parent.postMessage([paper, sheet, drawn, wide, hidden + ' texts hidden', asked + ' requests'].join('; '), '*');
});
</script>\n</body>";

/// Presses the button, and tells what has come of it: the state, the rows, the steps that ran, bars that contradict their
/// number, the width, and requests of the page but for the module beside it.
const PRESS: &str = "<script>
addEventListener('load', () => {
  const place = document.querySelector('.live'), tell = (text) => { new Image().src = 'http://127.0.0.1:PORT/' + encodeURIComponent(text); };
  if (!place || place.hidden) return tell('no button');
  place.querySelector('button').click();
  const timer = setInterval(() => {
    if (place.dataset.state === 'running') return;
    clearInterval(timer);
    const rows = [...place.querySelectorAll('.row')].map((row) => [parseFloat(row.querySelector('b').textContent) || 0,
      row.querySelector('.bar span').getBoundingClientRect().width]);
    const [most, widest] = rows.reduce((one, other) => other[0] > one[0] ? other : one);
    const wrong = rows.filter(([number, width]) => Math.abs(width - widest * number / most) > 2).length;
    const ran = place.querySelectorAll('.here').length - [...place.querySelectorAll('.here .name')].filter((name) => name.textContent).length;
    const wide = document.documentElement.scrollWidth > innerWidth ? 'too wide' : 'fits';
    const asked = performance.getEntriesByType('resource').filter(({ name }) => !/^blob:|live-module.js$/.test(name)).length;
    const why = place.dataset.state === 'done' ? '' : place.querySelector('.soft').textContent;
    tell([place.dataset.state + why, rows.length + ' rows', ran + ' ran', wrong + ' bars wrong', wide, asked + ' requests'].join('; '));
  }, 100);
});
</script>\n</body>";

/// The steps of the ladder of XTEA that a browser can run: not those on registers of 256 and 512 bits, and none on devices.
const RAN: usize = 12;
/// The time that a page has for its measurement, on a slow machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// The page with the frame, less the attributes of the frame.
const FRAME: &str = "<!doctype html>\n<html><head><title>nothing</title>
<script>addEventListener('message', (event) => { document.title = event.data });</script></head>
<body><iframe height=900";

/// Opens a page of each kind.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    need("chromium")?;
    let made = workspace.release()?;
    let program = program_of(&made, "abreast-bench")?;
    let failed = |error: std::io::Error| Stop::Failed(error.to_string());
    let folder = tempfile::tempdir().map_err(failed)?;
    let module = live::build(workspace, folder.path());
    for arguments in [
        &["ladder", "xtea", "--quick"][..],
        &["bench", "aes-128-ctr", "xtea-ecb", "threads", "--batch", "64", "--size", "16,1600,16K", "--quick"],
    ] {
        let page = folder.path().join(format!("{}.html", arguments[0]));
        let mut command = Command::new(program);
        command.args(arguments).arg("--html").arg(&page);
        if let (Ok(module), "ladder") = (&module, arguments[0]) {
            command.arg("--live").arg(module);
        }
        run(&mut command)?;
        let text = fs::read_to_string(&page).map_err(failed)?;
        // A ladder has one picture more, for others to use, and small ones for its branches.
        let pictures = if arguments[0] == "ladder" {
            text.matches("<svg class=\"fig\"").count() - 1
        } else {
            text.matches("<svg ").count()
        };
        if pictures == 0 || !text.contains("</body>") {
            return Err(Stop::Failed(format!("{} is no page with pictures", arguments[0])));
        }
        fs::write(&page, text.replace("</body>", SCRIPT)).map_err(failed)?;
        for width in WIDTHS {
            for scheme in SCHEMES {
                look(&page, pictures, width, scheme)?;
            }
        }
    }
    // The pages are right without the module, too.
    let module = module?;
    let text =
        fs::read_to_string(folder.path().join("ladder.html")).map_err(failed)?.replace(SCRIPT, "</body>");
    let inside = format!("<script>{}</script>\n", fs::read_to_string(&module).map_err(failed)?);
    if !text.contains(&inside) {
        return Err(Stop::Failed("the page has no module".to_owned()));
    }
    press(folder.path(), "inside", &text)?;
    press(folder.path(), "beside", &text.replace(&inside, ""))
}

/// Presses the button of a page, and compares what it reports with what must be.
fn press(folder: &Path, name: &str, text: &str) -> Outcome {
    let failed = |error: std::io::Error| Stop::Failed(error.to_string());
    let steps = text.matches("<article class=\"card\"").count();
    let socket = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    socket.set_nonblocking(true).map_err(failed)?;
    let port = socket.local_addr().map_err(failed)?.port().to_string();
    let page = folder.join(format!("{name}.html"));
    fs::write(&page, text.replace("</body>", &PRESS.replace("PORT", &port))).map_err(failed)?;
    let mut command = Command::new("chromium");
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,900"]);
    command.arg(format!("--user-data-dir={}", folder.join(format!("{name}-profile")).display()));
    command.arg(format!("file://{}", page.display()));
    let told = during(PATIENCE, &mut command, || {
        let (stream, _) = socket.accept().ok()?;
        stream.set_nonblocking(false).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).ok()?;
        Some(line.split(' ').nth(1)?.trim_start_matches('/').replace("%20", " ").replace("%3B", ";"))
    })?;
    say(&format!("module {name} the page: {told}"));
    let wanted = format!("done; {} rows; {RAN} ran; 0 bars wrong; fits; 0 requests", 2 * steps);
    if told == wanted {
        Ok(())
    } else {
        Err(Stop::Failed(format!(
            "with the module {name} the page, the button gives '{told}' and not '{wanted}'"
        )))
    }
}

/// Opens a page, and compares what its script has found with what must be.
fn look(page: &Path, pictures: usize, width: u32, (scheme, setting, paper): (&str, u32, &str)) -> Outcome {
    let frame = page.with_extension("frame.html");
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    fs::write(&frame, format!("{FRAME} width={width} src={name}></iframe></body></html>"))
        .map_err(|error| Stop::Failed(error.to_string()))?;
    let errors = page.with_extension("log");
    let mut command = Command::new("chromium");
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=5000"]);
    command.args(["--enable-logging=file", &format!("--log-file={}", errors.display())]);
    command.arg("--window-size=1400,1000");
    command.arg(format!("--blink-settings=preferredColorScheme={setting}"));
    let document = capture(command.arg(format!("file://{}", frame.display())))?;
    let complaints = fs::read_to_string(&errors).unwrap_or_default();
    let title =
        document.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
    say(&format!("{scheme}, {width} pixels: {title}"));
    let wanted = format!("{paper}; {paper}; {pictures}; fits; 0 texts hidden; 0 requests");
    if title != wanted {
        let what = format!("in a {scheme} window of {width} pixels the page is '{title}' and not '{wanted}'");
        return Err(Stop::Failed(what));
    }
    match complaints.lines().find(|line| line.contains("CONSOLE")) {
        Some(line) => Err(Stop::Failed(format!("in a {scheme} window of {width} pixels: {line}"))),
        None => Ok(()),
    }
}
