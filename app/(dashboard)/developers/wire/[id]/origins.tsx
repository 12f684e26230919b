import { DescriptionItem } from '@/components/ui/description-item'
import { compareOrigins } from '@/lib/sandbox/wire/details'

interface Props {
  /** Origin of the `redirect_uri` of the request, or why there is none. */
  readonly asked: string
  /** Origin of the gateway's root in the settings. */
  readonly gateway: string
  readonly refused: boolean
}

/** The two origins of a login, with the differing parts marked. */
export function Origins({ asked, gateway, refused }: Props) {
  return (
    <section aria-labelledby="origins" className="mt-8">
      <h2 id="origins" className="mb-2">
        Origins
      </h2>
      <dl className="grid gap-x-8 md:grid-cols-2">
        <DescriptionItem term="redirect_uri of the request" className="line py-2">
          <Origin origin={asked} other={gateway} />
        </DescriptionItem>
        <DescriptionItem term="GATEWAY_ROOT_URL of this server" className="line py-2">
          <Origin origin={gateway} other={asked} />
        </DescriptionItem>
      </dl>
      {refused ? <p className="line pt-2">{advice(asked, gateway)}</p> : null}
    </section>
  )
}

function Origin({ origin, other }: { readonly origin: string; readonly other: string }) {
  return (
    <code>
      {compareOrigins(origin, other).map(({ text, differs }) =>
        differs ? (
          <mark key={text} className="bg-transparent font-semibold text-red underline decoration-2 underline-offset-4">
            {text}
          </mark>
        ) : (
          <span key={text}>{text}</span>
        ),
      )}
    </code>
  )
}

function advice(asked: string, gateway: string): string {
  if (asked === 'none') return 'The request has no redirect_uri. The gateway adds it to the address of the login.'
  if (!URL.canParse(asked)) return 'The redirect_uri is not an http or https address.'
  if (asked === gateway)
    return 'The origins are the same. The request was refused because the path is not below the path of the gateway, the address is not in normalized form, or it was given more than once.'
  return 'The login was refused because the origins differ. Set GATEWAY_ROOT_URL of this server and NWC_APP_ROOT_URL of the gateway to the same address, and restart both.'
}
