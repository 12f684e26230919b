/** What distinguishes the look of one app from another: its accent on light and on dark paper, and its own rules. */
export interface Look {
  readonly accent: readonly [light: string, dark: string]
  readonly own: string
  /** Rules on screens below 720 px. */
  readonly narrow?: string
}

/**
 * The style sheet of the sandbox's apps: the paper and type of a printed statement. Ochre marks simulated things only. The
 * fonts are those of the VASP's pages, with a serif that adapts to its size. Currency signs such as ₿ are in a file of their own.
 * Names, memos and answers of other parties may be one long word, so every text can break anywhere, and no page scrolls
 * sideways at 320 px. The rule for inputs is in `:where`, so that the mark of a refused field is stronger.
 */
export function styleOf({ accent: [light, dark], own, narrow = '' }: Look): string {
  return `
@font-face { font-family:'Source Serif'; src:url(/fonts/source-serif-4-latin-opsz-normal.woff2) format('woff2'); font-weight:200 900; font-display:swap }
@font-face { font-family:'Public Sans'; src:url(/fonts/public-sans-latin-wght-normal.woff2) format('woff2'); font-weight:100 900; font-display:swap }
@font-face { font-family:'Plex Mono'; src:url(/fonts/ibm-plex-mono-latin-400-normal.woff2) format('woff2'); font-display:swap }
@font-face { font-family:'Plex Mono'; src:url(/fonts/ibm-plex-mono-latin-ext-400-normal.woff2) format('woff2'); unicode-range:U+20A0-20C0; font-display:swap }
:root { color-scheme:light; --paper:#fbfaf6; --ink:#15201c; --muted:#5d6b65; --rule:#dad9d1; --accent:${light}; --ochre:#8a5a00; --red:#a3261f; --green:#1e6b3a;
  --serif:'Source Serif', Georgia, 'Times New Roman', serif; --sans:'Public Sans', system-ui, sans-serif; --mono:'Plex Mono', ui-monospace, 'Liberation Mono', monospace }
@media (prefers-color-scheme: dark) { :root { color-scheme:dark; --paper:#0e1513; --ink:#e8ece7; --muted:#9aa8a1; --rule:#26312d; --accent:${dark}; --ochre:#e0b25c; --red:#f0837a; --green:#74c68f } }
* { box-sizing:border-box }
body { margin:0; background:var(--paper); color:var(--ink); font:15px/1.55 var(--sans); font-variant-numeric:lining-nums tabular-nums; overflow-wrap:anywhere }
.busy { color:var(--muted); font-size:13px } .busy:not(:empty) { margin-left:12px } [aria-busy=true] button { cursor:progress }
.skip { position:absolute; left:-999px } .skip:focus { left:20px; top:8px; background:var(--paper); padding:4px 8px; z-index:1 }
.strip { padding:6px 0; color:var(--ochre); font-size:13px; border-bottom:1px solid var(--ochre);
  background:repeating-linear-gradient(135deg, color-mix(in srgb, var(--ochre) 26%, transparent) 0 1px, transparent 1px 6px) }
.strip p { margin-block:0 } .strip strong { letter-spacing:.06em }
main, footer, .strip p { width:min(100% - 40px, 1040px); margin-inline:auto }
main { margin-block:40px }
footer { border-top:1px solid var(--rule); margin-block:64px 32px; padding-top:10px; color:var(--muted); font-size:13px }
h1, h2, h3, legend { font-family:var(--serif); font-weight:400; line-height:1.2; text-wrap:balance }
h1 { font-size:clamp(28px, 7vw, 40px); margin:0 0 14px } h2 { font-size:24px; margin:44px 0 8px } h3 { font-size:18px; margin:0 0 8px }
p { margin:0 0 12px } .lead { font-size:18px; max-width:42em } .label { color:var(--muted); font-size:13px }
a { color:var(--accent); text-underline-offset:3px }
.button, button { display:inline-flex; align-items:center; min-height:36px; padding:0 16px; border:1px solid var(--accent); border-radius:0; background:transparent; color:var(--accent); font:inherit; font-weight:500; cursor:pointer; text-decoration:none; text-align:left }
.button:hover, button:hover { background:color-mix(in srgb, var(--accent) 10%, transparent) }
.main, .main:hover { background:var(--accent); color:var(--paper) } .grave { border-color:var(--red); color:var(--red) }
:focus-visible { outline:2px solid var(--accent); outline-offset:3px }
.row { display:flex; flex-wrap:wrap; gap:12px; align-items:center; margin:16px 0 } .row .field { margin:0 } .row > [role=alert] { order:1; flex-basis:100% }
.notice { border-left:2px solid var(--accent); padding:8px 0 8px 14px; max-width:52em; margin-bottom:24px } .notice.bad { border-color:var(--red) }
.good { color:var(--green) } .bad { color:var(--red) }
fieldset { min-width:0; border:0; padding:0; margin:20px 0 0 } legend { font-size:18px; padding:0; margin-bottom:4px }
.field { margin:0 0 14px; max-width:34em } .field.short { width:9em } .field label { display:block; color:var(--muted); font-size:13px; margin-bottom:3px }
:where(input[type=text], select, textarea) { width:100%; min-height:36px; padding:6px 10px; font:inherit; color:inherit; background:var(--paper); border:1px solid var(--muted); border-radius:0 }
[aria-invalid=true] { border-color:var(--red) }
textarea { font:13px/1.5 var(--mono); resize:vertical }
dl { margin:0 0 16px } dl > div { display:grid; grid-template-columns:minmax(8em, 10em) 1fr; gap:14px; padding:6px 0; border-top:1px solid var(--rule) }
dt { color:var(--muted); font-size:13px; padding-top:1px } dd { margin:0; min-width:0 }
pre, code { font:13px/1.5 var(--mono) }
pre { margin:0 0 10px; padding:8px 0; max-height:26em; overflow:auto; white-space:pre-wrap; border-top:1px solid var(--rule) }
.plain { list-style:none; margin:0; padding:0 } .plain li { border-top:1px solid var(--rule); padding:9px 0 } .plain .label { margin-left:8px }
summary { cursor:pointer } summary h2, summary h3 { display:inline; margin:0 }
${own}
@media (max-width:719px) { .button, button, input[type=text], select { min-height:48px } summary { padding:8px 0 } dl > div { grid-template-columns:1fr; gap:0 } ${narrow} }
`
}
