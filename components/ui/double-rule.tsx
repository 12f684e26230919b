/** The accountant's double rule under a total or the end of a list. Decoration. */
export function DoubleRule() {
  return <div aria-hidden="true" className="double-rule" />
}
