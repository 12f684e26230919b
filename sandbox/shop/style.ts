import { styleOf } from '../shared/style'

/** A printed catalogue in Prussian blue. */
export const STYLE = styleOf({
  accent: ['#1f3f6e', '#a3bfec'],
  own: `
.masthead { width:min(100% - 40px, 1040px); margin:0 auto 44px; padding:36px 0 0; text-align:center; border-bottom:3px double var(--ink) }
.masthead .name { font:400 40px/1.1 var(--serif); color:var(--ink); text-decoration:none; letter-spacing:.01em }
.masthead p { margin:6px 0 20px; color:var(--muted); font:italic 15px var(--serif) }
nav { display:flex; flex-wrap:wrap; justify-content:center; gap:0 32px }
nav a { padding:9px 2px; color:var(--ink); text-decoration:none; border-bottom:2px solid transparent }
nav a:hover { border-color:var(--muted) } nav a[aria-current] { border-color:var(--accent); color:var(--accent) }
.figure { font:400 24px/1.2 var(--serif); margin:0 0 4px } .state { font-size:18px } h3 code { color:var(--muted); margin-left:8px }
table { border-collapse:collapse; width:100%; margin-bottom:8px } th { text-align:left; font-weight:400; font-size:13px; color:var(--muted) }
th, td { padding:6px 12px 6px 0; border-top:1px solid var(--rule); vertical-align:top } .number { text-align:right; padding-right:0; white-space:nowrap }
details { margin:16px 0 }
.products, .calls ol { list-style:none; margin:0; padding:0 }
.products { display:grid; grid-template-columns:1fr 1fr; gap:0 56px; margin-top:28px; border-top:1px solid var(--ink) }
.products li { display:grid; grid-template-columns:120px 1fr; gap:24px; padding:28px 0; border-bottom:1px solid var(--rule) }
.icon { width:120px; height:auto; fill:none; stroke:var(--ink); stroke-width:1.1; stroke-linejoin:round }
.number-line { margin:0; color:var(--muted); font:italic 15px var(--serif) }
.line { display:flex; align-items:baseline; gap:8px; margin:0 0 6px; font-size:24px } .line::before { content:''; order:1; flex:1; min-width:12px; border-bottom:2px dotted var(--muted); transform:translateY(-4px) } .price { order:2; font-size:18px; white-space:nowrap }
.bill { display:flex; align-items:center; gap:24px; margin-bottom:8px } .bill .icon { width:84px } .bill .figure { font-size:40px }
.columns { display:grid; grid-template-columns:minmax(0, 1fr) 400px; gap:0 64px; align-items:start }
.step { border-top:1px solid var(--rule); padding:18px 0 20px; scroll-margin-top:12px }
.answer { margin-top:16px; border-left:2px solid var(--green); padding-left:14px } .answer:has(.problem) { border-left-color:var(--red) } .answer > :last-child { margin-bottom:0 }
.outdated { border-left-color:var(--rule) } .outdated .good, .outdated .figure { color:var(--muted) }
.problem { margin:4px 0 16px }
.calls { border-left:1px solid var(--rule); padding-left:24px } .calls h2 { margin-top:8px } .calls h3 { font:500 13px var(--sans); color:var(--muted); margin:10px 0 2px }
.calls li { border-top:1px solid var(--rule) } .calls details { margin:10px 0 } .calls [id^=call-] { scroll-margin-top:64px } .calls li:has(:target) { box-shadow:-25px 0 0 -22px var(--accent) }
.fields { display:flex; flex-wrap:wrap; gap:0 16px } .fields .field { flex:1 1 14em } .fields .field:has(textarea) { flex-basis:100% }
.calls pre { max-height:none } .line:has(+ .dollars) { margin-bottom:0 } .dollars { text-align:right; margin-bottom:6px }
.words { font-weight:500 } .calls summary .label { display:block; padding-left:16px } .calls summary .good, .calls summary .bad { display:inline-block }
@media (min-width:900px) { .calls { position:sticky; top:0; max-height:100vh; overflow:auto; padding-bottom:24px } }
@media (max-width:899px) { .columns { grid-template-columns:minmax(0, 1fr); reading-flow:grid-order } .calls { order:-1; border:0; border-bottom:3px double var(--ink); padding:0 0 12px; margin-bottom:32px } .calls h2 { margin-top:0 } .products { grid-template-columns:1fr } }
@media print { .calls, nav, button { display:none } }`,
  narrow: `.number { white-space:normal } .masthead .name { font-size:32px } nav { flex-wrap:nowrap; gap:0 20px } nav a { padding:12px 2px; white-space:nowrap } nav a[href='/wallet'] { min-width:0; overflow:hidden; text-overflow:ellipsis }
  .products li { grid-template-columns:72px 1fr; gap:16px } .icon { width:72px } .masthead { margin-bottom:32px } .bill .figure { font-size:32px } .line { font-size:18px } .price { font-size:15px }`,
})
