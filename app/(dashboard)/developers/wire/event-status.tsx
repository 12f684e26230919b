/** The HTTP status of an event, if it has one. */
export function EventStatus({ status }: { readonly status: number | null }) {
  if (status === null) return <span />
  const [colour, mark] = status >= 400 ? ['text-red', '×'] : ['text-green', '✓']
  return (
    <span className={`figures whitespace-nowrap ${colour}`}>
      {mark} {status}
    </span>
  )
}
