import { Field, Select } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { DIRECTIONS, LONGEST_TEXT, STATES, type TypedFilter } from '@/lib/wallets/activity-filter'

interface Props {
  readonly typed: TypedFilter
  readonly errors: Readonly<Partial<Record<keyof TypedFilter, string>>>
  readonly isFiltered: boolean
  readonly codes: readonly string[]
  readonly connections: readonly { readonly id: string; readonly name: string }[]
}

const WORDS = { received: 'Received', sent: 'Sent', settled: 'Settled', pending: 'Pending', failed: 'Failed' } as const

/** A plain form, so that the filter is in the address and works without JavaScript. */
export function FilterForm({ typed, errors, isFiltered, codes, connections }: Props) {
  const field = (name: keyof TypedFilter) => ({ name, error: errors[name] })
  const choice = (name: keyof TypedFilter, options: readonly (readonly [string, string])[]) => ({
    ...field(name),
    chosen: typed[name],
    options: [
      ['', 'All'] as const,
      ...options,
      // A value that is not in the list, so that its error has a value to name.
      ...(typed[name] === '' || options.some(([value]) => value === typed[name])
        ? []
        : [[typed[name], typed[name]] as const]),
    ],
  })
  return (
    <details className="mt-4 print:hidden" open={isFiltered}>
      <summary className="tap">Filter</summary>
      <form
        action="/activity"
        aria-label="Filter"
        className="mt-2 grid grid-cols-2 items-start gap-x-4 gap-y-3 max-[359px]:grid-cols-1 md:grid-cols-5"
      >
        <Select
          label="Direction"
          {...choice(
            'direction',
            DIRECTIONS.map((each) => [each, WORDS[each]]),
          )}
        />
        <Select
          label="Currency"
          {...choice(
            'currency',
            codes.map((code) => [code, code]),
          )}
        />
        <Select
          label="Connection"
          {...choice(
            'connection',
            connections.map(({ id, name }) => [id, name]),
          )}
        />
        <Field label="From day" {...field('from')} value={typed.from} type="date" />
        <Field label="To day" {...field('to')} value={typed.to} type="date" />
        <Select
          label="State"
          {...choice(
            'state',
            STATES.map((each) => [each, WORDS[each]]),
          )}
        />
        <Field
          label="Counterparty"
          {...field('counterparty')}
          value={typed.counterparty}
          className=""
          maxLength={LONGEST_TEXT}
        />
        <Field label="Smallest amount" {...field('least')} value={typed.least} inputMode="decimal" />
        <Field label="Largest amount" {...field('most')} value={typed.most} inputMode="decimal" />
        <Field label="Text" {...field('text')} value={typed.text} className="" maxLength={LONGEST_TEXT} type="search" />
        <p className="actions col-span-full">
          <button className="button">Filter</button>
          {isFiltered ? (
            <Link className="tap" href="/activity">
              Clear
            </Link>
          ) : null}
        </p>
      </form>
    </details>
  )
}
