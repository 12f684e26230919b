import { Identicon } from '@/components/ui/identicon'
import { Moment } from '@/components/ui/time'

interface Props {
  readonly recents: readonly { readonly address: string; readonly at: Date }[]
  readonly now: Date
}

/** The receivers that the user paid before, as links to pay them again. */
export function Recents({ recents, now }: Props) {
  if (recents.length === 0) return null
  return (
    <section aria-labelledby="recents" className="mt-10 max-w-2xl">
      <h2 id="recents">Paid before</h2>
      <ul className="mt-2">
        {recents.map(({ address, at }) => (
          <li key={address} className="line flex items-center gap-x-3 py-2">
            <Identicon text={address} size={28} />
            <a
              className="row-link min-w-0 break-words"
              href={`/wallets/send?${new URLSearchParams({ invoice: address })}`}
            >
              {address}
            </a>
            <span className="label ml-auto shrink-0">
              <Moment at={at} now={now} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
