import { application } from '@/lib/backend/application'
import { Identicon } from './ui/identicon'
import { Link } from './ui/link'

/** The VASP's name and mark, which lead home from every page. */
export function BankLink() {
  const { vaspName, vaspDomain } = application().settings
  return (
    <Link href="/" className="tap gap-x-2.5 font-serif text-lg text-ink no-underline hover:underline">
      <Identicon text={vaspDomain} size={32} />
      {vaspName}
    </Link>
  )
}

/** The header of a page without a signed-in user. */
export function BankHeader() {
  return (
    <header className="page pt-4">
      <BankLink />
    </header>
  )
}
