import { Link } from '@/components/ui/link'

const PAGES = [
  ['/developers/wire', 'The Wire'],
  ['/developers/gateway', 'Gateway kit'],
  ['/developers/errors', 'Error recipes'],
  ['/developers/token', 'Token inspector'],
  ['/sandbox', 'Sandbox desk'],
] as const

/** The heading of a page of the sandbox tools, with links to the other pages. */
export function DeveloperHeading({ page }: { readonly page: (typeof PAGES)[number][0] }) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6">
      <h1>{PAGES.find(([path]) => path === page)?.[1]}</h1>
      <p className="actions">
        {PAGES.filter(([path]) => path !== page).map(([path, name]) => (
          <Link key={path} className="tap" href={path}>
            {name}
          </Link>
        ))}
      </p>
    </div>
  )
}
