/**
 * A printed catalogue: the paper and type of the statement, with Prussian blue as the accent. Ochre is used only for "not real money".
 * Names, memos and answers of other parties may be one long word, so every text can break anywhere, and no page scrolls
 * sideways at 320 px. */
export const STYLE = `
@font-face { font-family:'Shop Serif'; src:url(/fonts/serif.woff2) format('woff2'); font-weight:200 900; font-display:swap }
@font-face { font-family:'Shop Sans'; src:url(/fonts/sans.woff2) format('woff2'); font-weight:100 900; font-display:swap }
@font-face { font-family:'Shop Mono'; src:url(/fonts/mono.woff2) format('woff2'); font-display:swap }
@font-face { font-family:'Shop Mono'; src:url(/fonts/mono-signs.woff2) format('woff2'); unicode-range:U+20A0-20C0; font-display:swap }
:root { color-scheme:light; --paper:#fbfaf6; --ink:#15201c; --muted:#5d6b65; --rule:#dad9d1; --accent:#1f3f6e; --ochre:#8a5a00; --red:#a3261f; --green:#1e6b3a;
  --serif:'Shop Serif', Georgia, 'Times New Roman', serif; --mono:'Shop Mono', ui-monospace, 'Liberation Mono', monospace }
@media (prefers-color-scheme: dark) { :root { color-scheme:dark; --paper:#0e1513; --ink:#e8ece7; --muted:#9aa8a1; --rule:#26312d; --accent:#a3bfec; --ochre:#e0b25c; --red:#f0837a; --green:#74c68f } }
* { box-sizing:border-box }
body { margin:0; background:var(--paper); color:var(--ink); font:15px/1.55 'Shop Sans', system-ui, sans-serif; font-variant-numeric:lining-nums tabular-nums; overflow-wrap:anywhere }
.busy { color:var(--muted); font-size:13px } .busy:not(:empty) { margin-left:12px } [aria-busy=true] button { cursor:progress }
.skip { position:absolute; left:-999px } .skip:focus { left:20px; top:8px; background:var(--paper); padding:4px 8px; z-index:1 }
.strip p { margin-block:0 }
.strip { padding:6px 0; color:var(--ochre); font-size:13px; border-bottom:1px solid var(--ochre);
  background:repeating-linear-gradient(135deg, color-mix(in srgb, var(--ochre) 26%, transparent) 0 1px, transparent 1px 6px) }
.strip strong { letter-spacing:.06em }
main, footer, .masthead, .strip p { width:min(100% - 40px, 1040px); margin-inline:auto }
.masthead { text-align:center; padding:36px 0 0; margin-bottom:44px; border-bottom:3px double var(--ink) }
.masthead .name { font:400 40px/1.1 var(--serif); color:var(--ink); text-decoration:none; letter-spacing:.01em }
.masthead p { margin:6px 0 20px; color:var(--muted); font-style:italic; font-family:var(--serif); font-size:15px }
nav { display:flex; flex-wrap:wrap; justify-content:center; gap:0 32px }
nav a { padding:9px 2px; color:var(--ink); text-decoration:none; overflow-wrap:anywhere; border-bottom:2px solid transparent }
nav a:hover { border-color:var(--muted) } nav a[aria-current] { border-color:var(--accent); color:var(--accent) }
footer { border-top:1px solid var(--rule); margin-block:64px 32px; padding-top:10px; color:var(--muted); font-size:13px }
h1, h2, h3, legend, .figure { font-family:var(--serif); font-weight:400; line-height:1.2; text-wrap:balance }
h1 { font-size:40px; margin:0 0 14px; overflow-wrap:anywhere } h2 { font-size:24px; margin:44px 0 8px } h3 { font-size:18px; margin:0 0 8px }
p { margin:0 0 12px } .lead { font-size:18px; max-width:38em } .label { color:var(--muted); font-size:13px }
.figure { font-size:24px; margin:0 0 4px }
a { color:var(--accent); text-underline-offset:3px }
.button, button { display:inline-flex; align-items:center; min-height:36px; padding:0 16px; border:1px solid var(--accent); border-radius:0; background:transparent; color:var(--accent); font:inherit; font-weight:500; cursor:pointer; text-decoration:none; text-align:left }
.button:hover, button:hover { background:color-mix(in srgb, var(--accent) 10%, transparent) }
.main, .main:hover { background:var(--accent); color:var(--paper) } .grave { border-color:var(--red); color:var(--red) }
:focus-visible { outline:2px solid var(--accent); outline-offset:3px }
.row { display:flex; flex-wrap:wrap; gap:12px; align-items:center; margin:16px 0 }
.notice { border-left:2px solid var(--accent); padding:8px 0 8px 14px; max-width:52em; margin-bottom:24px } .notice.bad { border-color:var(--red) }
.good { color:var(--green) } .bad { color:var(--red) }
.state { font-size:18px }
fieldset { min-width:0; border:0; padding:0; margin:20px 0 0 } legend { font-size:18px; padding:0; margin-bottom:4px }
.field { margin:0 0 14px; max-width:34em } .field.short { width:9em; margin:0 } label { display:block; color:var(--muted); font-size:13px; margin-bottom:3px }
input, select, textarea { width:100%; min-height:36px; padding:6px 10px; font:inherit; color:inherit; background:var(--paper); border:1px solid var(--muted); border-radius:0 }
[aria-invalid=true] { border-color:var(--red) }
textarea { font:13px/1.5 var(--mono); resize:vertical; overflow-wrap:anywhere }
dl { margin:0 0 16px } dl > div { display:grid; grid-template-columns:minmax(8em, 10em) 1fr; gap:14px; padding:6px 0; border-top:1px solid var(--rule) }
dt { color:var(--muted); font-size:13px; overflow-wrap:anywhere; padding-top:1px } dd { margin:0; min-width:0; overflow-wrap:anywhere }
pre, code { font:13px/1.5 var(--mono) } code { overflow-wrap:anywhere } h3 code { color:var(--muted); margin-left:8px }
pre { margin:0 0 10px; padding:8px 0; max-height:26em; overflow:auto; white-space:pre-wrap; overflow-wrap:anywhere; border-top:1px solid var(--rule) }
table { border-collapse:collapse; width:100%; margin-bottom:8px } th { text-align:left; font-weight:400; font-size:13px; color:var(--muted) }
th, td { padding:6px 12px 6px 0; border-top:1px solid var(--rule); vertical-align:top; overflow-wrap:anywhere } .number { text-align:right; padding-right:0; white-space:nowrap }
details { margin:16px 0 } summary { cursor:pointer } summary h2 { display:inline }
.products, .plain, .calls ol { list-style:none; margin:0; padding:0 }
.products { display:grid; grid-template-columns:1fr 1fr; gap:0 56px; margin-top:28px; border-top:1px solid var(--ink) }
.products li { display:grid; grid-template-columns:120px 1fr; gap:24px; padding:28px 0; border-bottom:1px solid var(--rule) }
.icon { width:120px; height:auto; fill:none; stroke:var(--ink); stroke-width:1.1; stroke-linejoin:round }
.number-line { margin:0; color:var(--muted); font:italic 15px var(--serif) }
.line { display:flex; align-items:baseline; gap:8px; margin:0 0 6px; font-size:24px } .line::before { content:''; order:1; flex:1; min-width:12px; border-bottom:2px dotted var(--muted); transform:translateY(-4px) } .price { order:2; font-size:18px; white-space:nowrap }
.plain li { border-top:1px solid var(--rule); padding:9px 0 } .plain .label { margin-left:8px }
.bill { display:flex; align-items:center; gap:24px; margin-bottom:8px } .bill .icon { width:84px } .bill .figure { font-size:40px }
.columns { display:grid; grid-template-columns:minmax(0, 1fr) 400px; gap:0 64px; align-items:start }
.step { border-top:1px solid var(--rule); padding:18px 0 20px; scroll-margin-top:12px }
.answer { margin-top:16px; border-left:2px solid var(--green); padding-left:14px } .answer:has(.problem) { border-left-color:var(--red) } .answer > :last-child { margin-bottom:0 }
.outdated { border-left-color:var(--rule) } .outdated .good, .outdated .figure { color:var(--muted) }
.problem { margin:4px 0 16px }
.calls { border-left:1px solid var(--rule); padding-left:24px } .calls h2 { margin-top:8px } .calls h3 { font:500 13px 'Shop Sans', sans-serif; color:var(--muted); margin:10px 0 2px }
.calls li { border-top:1px solid var(--rule) } .calls details { margin:10px 0 } .calls li:target { box-shadow:-25px 0 0 -22px var(--accent) }
.fields { display:flex; flex-wrap:wrap; gap:0 16px } .fields .field { flex:1 1 14em } .fields .field:has(textarea) { flex-basis:100% }
.words { font-weight:500 } .calls summary .label { display:block; padding-left:16px } .calls summary .good, .calls summary .bad { display:inline-block }
@media (min-width:900px) { .calls { position:sticky; top:0; max-height:100vh; overflow:auto; padding-bottom:24px } }
@media (max-width:899px) { .columns { grid-template-columns:minmax(0, 1fr) } .calls { border:0; border-top:3px double var(--ink); padding:0; margin-top:44px } .products { grid-template-columns:1fr } }
@media (max-width:719px) { .number { white-space:normal } h1, .masthead .name { font-size:32px } nav { gap:0 20px } nav a { padding:12px 2px } .button, button, input, select { min-height:48px } summary { padding:8px 0 }
  dl > div { grid-template-columns:1fr; gap:0 } .products li { grid-template-columns:72px 1fr; gap:16px } .icon { width:72px } .masthead { margin-bottom:32px } .bill .figure { font-size:32px } .line { font-size:18px } .price { font-size:15px } }
@media print { .calls, nav, button { display:none } }
`
