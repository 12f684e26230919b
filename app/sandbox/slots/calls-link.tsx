import { Link } from '@/components/ui/link'
import { wireAddress } from '@/lib/sandbox/wire/filter'

/** Links to the calls of a connection in the Wire. */
export function CallsLink({ connection, label }: { readonly connection: string; readonly label?: string }) {
  return (
    <Link className="row-link" href={wireAddress({ connection })} aria-label={label}>
      {label === undefined ? 'Its calls' : 'Calls'}
    </Link>
  )
}
