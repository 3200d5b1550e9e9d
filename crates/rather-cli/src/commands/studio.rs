//! `rather studio`: the web application.

use crate::args::StudioArgs;
use crate::failure::Failure;
use crate::output::Output;
use rather_studio::config::{self, Config, Limits, TOKEN_VARIABLE};
use rather_studio::security::host::PublicOrigin;
use rather_studio::{Server, server};
use std::io::Write;
use std::process::Command;

/// Runs the command.
pub(crate) fn run(args: &StudioArgs, out: Output) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|e| Failure::Internal(format!("could not start threads: {e}")))?;
    let config = configure(args)?;
    runtime.block_on(async {
        let server = Server::start(config).await?;
        say_where(args, &server, out)?;
        if args.open {
            open(&server.url());
        }
        Ok(server.run(server::interrupted()).await?)
    })
}

fn configure(args: &StudioArgs) -> Result<Config, Failure> {
    let data = args.data.clone().map_or_else(config::default_data, Ok)?;
    // A variable that is set but empty is none.
    let variable = std::env::var(TOKEN_VARIABLE).ok().filter(|text| !text.is_empty());
    Ok(Config {
        listen: args.listen,
        public: args.origin.as_deref().map(PublicOrigin::parse).transpose()?,
        token: config::token(args.token_file.as_deref(), variable.as_deref())?,
        commands: config::commands(args.render.as_deref(), args.renderers.as_deref(), &data)?,
        data,
        demo: !args.no_demo,
        limits: Limits {
            connections: args.max_connections as usize,
            per_address: args.max_per_address.map(|n| n as usize),
            ..Limits::default()
        },
    })
}

/// Says where the studio is, so that whoever started it can open it.
fn say_where(args: &StudioArgs, server: &Server, out: Output) -> Result<(), Failure> {
    let (url, data) = (server.url(), server.data().display().to_string());
    if out.json {
        return out.json(&serde_json::json!({ "url": url, "data": data }));
    }
    let others = server.reach().filter(|others| !url.starts_with(others.as_str()));
    let others = others.map_or_else(String::new, |others| format!("Others reach it at {others}/\n"));
    let mut text = format!("The studio is open at {url}\n{others}Every answer is kept in {data}\n");
    if let Some(file) = &args.token_file {
        text += &format!("Sign in with the token in {}\n", file.display());
    }
    text += "Press Ctrl-C to stop.\n";
    out.text(&text)
}

/// Opens the browser; whoever has none opens the address that was printed.
fn open(url: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    if Command::new(program).arg(url).spawn().is_err() {
        let _ = writeln!(std::io::stderr(), "warning: could not start a browser; open {url}");
    }
}
