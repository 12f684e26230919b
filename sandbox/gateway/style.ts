/**
 * The style sheet, in the colours of a printed statement. Ochre marks simulated things only. Names, memos and answers of
 * other parties may be one long word, so every text can break anywhere, and no page scrolls sideways at 320 px.
 */
export const STYLE = `
@font-face { font-family:'Source Serif'; src:url(/fonts/serif.woff2) format('woff2'); font-weight:200 900; font-display:swap }
@font-face { font-family:'Public Sans'; src:url(/fonts/sans.woff2) format('woff2'); font-weight:100 900; font-display:swap }
@font-face { font-family:'Plex Mono'; src:url(/fonts/mono.woff2) format('woff2'); font-display:swap }
@font-face { font-family:'Plex Mono'; src:url(/fonts/mono-signs.woff2) format('woff2'); unicode-range:U+20A0-20C0; font-display:swap }
:root { color-scheme: light; --paper:#fbfaf6; --ink:#15201c; --muted:#5d6b65; --rule:#dad9d1; --accent:#6b2d5c; --ochre:#8a5a00; --red:#a3261f; --green:#1e6b3a }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark; --paper:#0e1513; --ink:#e8ece7; --muted:#9aa8a1; --rule:#26312d; --accent:#dba6cf; --ochre:#e0b25c; --red:#f0837a; --green:#74c68f } }
* { box-sizing: border-box }
body { margin:0; background:var(--paper); color:var(--ink); font:15px/1.55 'Public Sans', system-ui, sans-serif; font-variant-numeric:lining-nums tabular-nums; overflow-wrap:anywhere }
.busy { color:var(--muted); font-size:13px } .busy:not(:empty) { margin-left:12px } [aria-busy=true] button { cursor:progress }
.skip { position:absolute; left:-999px } .skip:focus { left:20px; top:8px; background:var(--paper); padding:4px 8px; z-index:1 }
.strip p { width:min(100% - 40px, 1040px); margin:0 auto }
.strip { border-top:6px solid var(--accent); margin:0; padding:6px 0; color:var(--ochre); font-size:13px; border-bottom:1px solid var(--ochre);
  background:repeating-linear-gradient(135deg, color-mix(in srgb, var(--ochre) 26%, transparent) 0 1px, transparent 1px 6px) }
main, footer { width:min(100% - 40px, 1040px); margin:40px auto }
footer { border-top:1px solid var(--rule); padding-top:10px; color:var(--muted); font-size:13px }
h1, h2, h3 { font-family:'Source Serif', Georgia, 'Times New Roman', serif; font-weight:400; line-height:1.15; text-wrap:balance }
h1 { font-size:clamp(28px, 7vw, 40px); margin:0 0 16px; overflow-wrap:anywhere } h2 { font-size:24px; margin:40px 0 8px } h3 { font-size:18px; margin:24px 0 6px }
.lead { font-size:18px; max-width:42em } .label { color:var(--muted); font-size:13px }
a { color:var(--accent); text-underline-offset:3px }
.button, button { display:inline-flex; align-items:center; min-height:36px; padding:0 16px; border:1px solid var(--accent); background:transparent; color:var(--accent); font:inherit; font-weight:500; cursor:pointer; text-decoration:none }
.main { background:var(--accent); color:var(--paper) } .grave { border-color:var(--red); color:var(--red) }
:focus-visible { outline:2px solid var(--accent); outline-offset:3px }
fieldset { min-width:0; border:0; padding:0; margin:24px 0 } legend { font-family:'Source Serif', Georgia, serif; font-size:18px; padding:0 }
.choice { display:flex; gap:12px; padding:8px 0; border-top:1px solid var(--rule) } .choice input { margin-top:5px; accent-color:var(--accent) }
input[type=text], select { min-height:36px; padding:0 10px; font:inherit; color:inherit; background:var(--paper); border:1px solid var(--muted); width:100%; max-width:24em }
[aria-invalid=true] { border-color:var(--red) }
.row + .row, .row + ul { margin-top:16px }
.row { display:flex; flex-wrap:wrap; gap:12px; align-items:center }
dl { margin:0 } dl > div { display:grid; grid-template-columns:9em 1fr; gap:12px; padding:6px 0; border-top:1px solid var(--rule) } dt { color:var(--muted); font-size:13px } dd { margin:0; min-width:0; overflow-wrap:anywhere }
pre, code { font:13px/1.5 'Plex Mono', ui-monospace, 'Liberation Mono', monospace } code { overflow-wrap:anywhere } pre { overflow:auto; padding:10px 0; margin:0; border-top:1px solid var(--rule); white-space:pre-wrap; overflow-wrap:anywhere }
.good { color:var(--green) } .bad { color:var(--red) }
ul { padding:0; margin:0; list-style:none } li { border-top:1px solid var(--rule); padding:10px 0 }
details { margin:0; border-top:1px solid var(--rule) } summary { cursor:pointer; padding:8px 0; overflow-wrap:anywhere } summary h3 { display:inline; margin:0 } .exchange h3 { font:500 15px/1.4 'Public Sans', system-ui, sans-serif } .exchange .label { font-weight:400 } .exchange pre { max-height:22em } .change { align-items:flex-end; margin-top:16px }
.as-app { border-left:2px solid var(--red); padding-left:12px; margin:12px 0 }
.notice { border-left:2px solid var(--ochre); padding-left:12px }
.bar { display:block; width:100%; height:14px; color:var(--ochre) } .bar .left { fill:var(--rule) } .bar .spent { fill:var(--accent) } .bar .held { fill:var(--ochre) }
.qr { width:min(100%, 340px); background:#fff } .qr svg { display:block; width:100%; height:auto } .long { display:block; border:1px solid var(--muted); padding:8px 12px; user-select:all }
@media (max-width:719px) { .button, button, input[type=text], select { min-height:48px } dl > div { grid-template-columns:1fr; gap:0 } }
`
