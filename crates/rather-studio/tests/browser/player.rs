//! Switching between two sounds, on samples: the page's own script on an offline context of Web Audio.

use crate::studio::Studio;
use crate::turn;
use crate::webdriver::Browser;

/// Plays a tone A from 0, changes to B (the same tone, a quarter of a period later and half as loud) at 0.5 s, back at 0.9 s,
/// again within the fade, and over the seam of the loop at 1 s; then the same with hard switches. Returns the largest second
/// differences of both: a step adds its height to it.
const SCRIPT: &str = r#"
    const base = document.querySelector('script[src$="duel.js"]').src.replace("duel.js", "sound.js");
    const { Sound, equalGains, soften, FADE } = await import(base);
    const rate = 48000;
    const context = new OfflineAudioContext(1, 2 * rate, rate);
    const tone = (phase, level) => {
      const buffer = context.createBuffer(1, rate, rate);
      const samples = buffer.getChannelData(0);
      for (let i = 0; i < rate; i++) samples[i] = level * Math.sin(2 * Math.PI * 217.3 * i / rate + phase);
      return buffer;
    };
    const buffers = [tone(0, 0.8), tone(Math.PI / 2, 0.4)];
    const gains = equalGains(buffers);
    const plain = buffers.map((b) => b.getChannelData(0).slice());
    buffers.forEach(soften);
    const sound = new Sound(context, buffers);
    sound.play(0, 0, 0);
    sound.switchTo(1, 0.5);
    sound.switchTo(0, 0.9);
    sound.switchTo(1, 0.905);
    sound.pause(1.7);
    const out = (await context.startRendering()).getChannelData(0);
    const rough = (x, from, to) => {
      let most = 0;
      for (let i = from + 1; i < to - 1; i++) most = Math.max(most, Math.abs(x[i + 1] - 2 * x[i] + x[i - 1]));
      return most;
    };
    const hard = Float32Array.from({ length: rate }, (_, i) => plain[i < rate / 2 ? 0 : 1][i]);
    const level = (from, to) => Math.max(...out.slice(from * rate, to * rate).map(Math.abs));
    return {
      smooth: rough(out, 0, out.length), hard: rough(hard, 0, rate),
      steady: rough(plain[0], 0, rate), a: level(0.3, 0.5), b: level(0.6, 0.8), end: level(1.75, 2), seam: level(0.999, 1.001), fade: FADE, gains,
    };
"#;

#[tokio::test(flavor = "multi_thread")]
async fn switching_does_not_click() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/")).await;
    browser.click(".cards .primary").await;
    browser.until("!document.getElementById('transport').hidden").await;
    let heard = browser.promise(SCRIPT).await;
    let at = |name: &str| heard[name].as_f64().unwrap_or_else(|| panic!("{name} in {heard}"));
    // The tone alone bends by about (2 pi f / rate)^2 times its height; a hard switch adds a step of several tenths. The
    // fade's own bend, (pi / 720)^2 / 2 times the step, is two orders below that.
    assert!(at("smooth") < 3.0 * at("steady"), "clicks: {heard}");
    assert!(at("hard") > 20.0 * at("steady"), "this test would not hear a click: {heard}");
    assert!((at("a") - 0.8).abs() < 0.01 && (at("b") - 0.4).abs() < 0.01, "both at their own level: {heard}");
    assert!(at("end") == 0.0, "silence after a pause: {heard}");
    let gain = |i: usize| heard["gains"][i].as_f64().unwrap();
    assert!(
        (gain(0) - 0.5).abs() < 0.01 && (gain(1) - 1.0).abs() < 1e-9,
        "the louder is turned down: {heard}"
    );
    assert!(at("seam") < 0.1, "a loop's seam is faded: {heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_sounds_keep_time() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/")).await;
    browser.click(".cards .primary").await;
    browser.until("!document.getElementById('transport').hidden").await;
    let playing = |side: &str| format!("document.getElementById('main').dataset.playing === '{side}'");
    browser.click(".side[data-side=left] .hear").await;
    browser.until(&playing("A")).await;
    browser.until("Number(document.getElementById('position').value) > 0.05").await;
    browser.click(".side[data-side=right] .hear").await;
    browser.until(&playing("B")).await;
    let position = browser.script("return Number(document.getElementById('position').value)").await;
    assert!(position.as_f64().unwrap() > 0.04, "it goes on where it was: {position}");
    let pressed =
        browser.script("return [...document.querySelectorAll('.hear')].map((b) => b.ariaPressed)").await;
    assert_eq!(pressed, serde_json::json!(["false", "true"]), "a screen reader knows which is heard");
    browser.click(".side[data-side=right] .hear").await;
    browser.until(&playing("")).await;
    browser.click("#restart").await;
    browser.click("#play").await;
    browser.until(&playing("B")).await;
    browser.click(".side[data-side=left] .hear").await;
    browser.until(&playing("A")).await;
    let position = browser.script("return Number(document.getElementById('position').value)").await;
    assert!(position.as_f64().unwrap() < 0.04, "it starts over: {position}");
}

/// Signals of EBU Tech 3341 and ITU-R BS.1770, whose loudness is published, and the lengths of sounds that are played in step.
const LOUDNESS: &str = r#"
    const base = document.querySelector('script[src$="duel.js"]').src;
    const { loudness } = await import(base.replace("duel.js", "loudness.js"));
    const { Sound, equalGains } = await import(base.replace("duel.js", "sound.js"));
    const sine = (rate, parts, frequency) => {
      const samples = new Float32Array(rate * parts.reduce((sum, [seconds]) => sum + seconds, 0));
      let at = 0;
      for (const [seconds, decibels] of parts) {
        for (const end = at + seconds * rate; at < end; at++) samples[at] = 10 ** (decibels / 20) * Math.sin((2 * Math.PI * frequency * at) / rate);
      }
      return samples;
    };
    const stereo = (rate, parts, frequency = 1000) => loudness(Array(2).fill(sine(rate, parts, frequency)), rate);
    const context = new OfflineAudioContext(2, 48000, 48000);
    const buffer = (seconds, channels, decibels) => {
      const made = context.createBuffer(channels, 48000 * seconds, 48000);
      for (let i = 0; i < channels; i++) made.copyToChannel(sine(48000, [[seconds, decibels]], 500), i);
      return made;
    };
    const [long, short] = [buffer(2, 1, -6), buffer(1, 1, -6)];
    const sound = new Sound(context, [long, short]);
    return {
      at: [48000, 44100, 16000].map((rate) => stereo(rate, [[3, -23]], 997)),
      softer: stereo(48000, [[3, -33]]),
      gated: stereo(48000, [[2, -36], [12, -23], [2, -36]]),
      silent: stereo(48000, [[2, -72], [2, -36], [12, -23], [2, -36], [2, -72]]),
      one: loudness([sine(48000, [[3, 0]], 997)], 48000),
      brief: stereo(48000, [[0.25, -23]]),
      nothing: String(loudness([new Float32Array(48000)], 48000)),
      low: stereo(48000, [[3, -23]], 30) - stereo(48000, [[3, -23]], 1000),
      // One channel is heard from both loudspeakers: it is as loud as two with the same.
      mono: equalGains([buffer(1, 1, -12), buffer(1, 2, -12)]),
      durations: sound.buffers.map((one) => one.duration),
      tail: Math.max(...sound.buffers[1].getChannelData(0).slice(48000).map(Math.abs)),
    };
"#;

#[tokio::test(flavor = "multi_thread")]
async fn loudness_is_that_of_published_signals_and_sounds_begin_anew_together() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/")).await;
    browser.click(".cards .primary").await;
    browser.until("!document.getElementById('transport').hidden").await;
    let found = browser.promise(LOUDNESS).await;
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("{value} in {found}"));
    // The tolerance of EBU Tech 3341.
    let near = |value: &serde_json::Value, lufs: f64| (number(value) - lufs).abs() <= 0.1;
    assert!((0..3).all(|i| near(&found["at"][i], -23.0)), "{found}");
    for (name, lufs) in
        [("softer", -33.0), ("gated", -23.0), ("silent", -23.0), ("one", -3.01), ("brief", -23.0)]
    {
        assert!(near(&found[name], lufs), "{name}: {found}");
    }
    assert_eq!(found["nothing"], "-Infinity");
    assert!(number(&found["low"]) < -5.0, "low tones are heard less: {found}");
    assert!((number(&found["mono"][0]) - number(&found["mono"][1])).abs() < 1e-3, "{found}");
    assert_eq!(found["durations"], serde_json::json!([2, 2]));
    assert_eq!(number(&found["tail"]), 0.0, "the shorter one ends in silence");
}

/// The first sound of the page as the player gets it and as a WAV file: kinds, bytes, and whether the browser decodes the same samples.
const PACKED: &str = r#"
    const duel = JSON.parse(document.getElementById("page").textContent).turn.next;
    const get = async (accept) => {
      const reply = await fetch(duel.left.media.url, { headers: { accept } });
      return [reply.headers.get("content-type"), await reply.arrayBuffer()];
    };
    const [plain, wav] = await get("*/*");
    const [packed, flac] = await get("audio/flac");
    const rate = new DataView(wav).getUint32(24, true);
    const sizes = [wav.byteLength, flac.byteLength];
    const samples = async (bytes) => (await new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes)).getChannelData(0);
    const [one, other] = [await samples(wav), await samples(flac)];
    const loaded = performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith(duel.left.media.url));
    return { kinds: [plain, packed], sizes, same: one.length === other.length && one.every((x, i) => x === other[i]), loaded: loaded[0].encodedBodySize };
"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_player_gets_flac_that_decodes_to_the_same_samples() {
    let _turn = turn().await;
    let Some(browser) = Browser::start().await else { return };
    let studio = Studio::start().await;
    browser.go(&studio.page("/")).await;
    browser.click(".cards .primary").await;
    browser.until("!document.getElementById('transport').hidden").await;
    let found = browser.promise(PACKED).await;
    assert_eq!(found["kinds"], serde_json::json!(["audio/wav", "audio/flac"]), "{found}");
    assert_eq!(found["same"], true, "{found}");
    assert_eq!(found["loaded"], found["sizes"][1], "what was played came as FLAC: {found}");
    assert!(found["sizes"][1].as_u64() < found["sizes"][0].as_u64(), "{found}");
}
