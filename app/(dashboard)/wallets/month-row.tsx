/** The heading of a month in a table of lines. */
export function MonthRow({ month, columns }: { readonly month: string; readonly columns: number }) {
  return (
    <tr>
      <th scope="rowgroup" colSpan={columns} className="pt-6 pb-1 font-serif text-lg font-normal">
        {month}
      </th>
    </tr>
  )
}
