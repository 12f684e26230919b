import { rosetteOf } from '@/lib/look/guilloche'

/** The rosette of an address. Decoration beside a name, so screen readers skip it. */
export function Guilloche({ of, size = 40 }: { readonly of: string; readonly size?: number }) {
  return (
    <svg viewBox="0 0 100 100" width={size} height={size} aria-hidden="true" className="shrink-0 text-accent">
      {rosetteOf(of).paths.map((path) => (
        <path key={path.slice(0, 40)} d={path} fill="none" stroke="currentColor" strokeWidth="1.1" />
      ))}
    </svg>
  )
}
