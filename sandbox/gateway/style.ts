import { styleOf } from '../shared/style'

/** Plum, as the VASP whose wallets it connects. */
export const STYLE = styleOf({
  accent: ['#6b2d5c', '#dba6cf'],
  own: `
.strip { border-top:6px solid var(--accent) }
.masthead { display:flex; flex-wrap:wrap; align-items:center; gap:8px 24px; width:min(100% - 40px, 1040px); margin:0 auto; padding:10px 0; border-bottom:1px solid var(--rule) } .masthead p { margin:0 0 0 auto; font:13px/1.5 var(--mono) }
.masthead a[aria-current] { color:var(--ink); text-decoration-thickness:2px }
.choice { display:flex; gap:12px; padding:8px 0; border-top:1px solid var(--rule) } .choice input { margin-top:5px; accent-color:var(--accent) }
fieldset { margin:24px 0 } .row:has(.field) { align-items:flex-end } .bar { margin-bottom:16px } details + p { margin-top:16px }
ul.groups .label { margin-left:0 } details { border-top:1px solid var(--rule) } summary { padding:8px 0 } .exchange h3 { font:500 15px/1.4 var(--sans) } .exchange .label { font-weight:400 }
.as-app { border-left:2px solid var(--red); padding-left:12px; margin:12px 0 }
.bar { display:block; width:100%; height:14px; color:var(--ochre) } .bar .left { fill:var(--rule) } .bar .spent { fill:var(--accent) } .bar .held { fill:var(--ochre) }
.qr { width:min(100%, 340px); background:#fff } .qr svg { display:block; width:100%; height:auto } .long { display:block; border:1px solid var(--muted); padding:8px 12px; user-select:all }`,
})
