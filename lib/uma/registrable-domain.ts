/**
 * A public suffix and the label before it. `co.uk` and similar endings count as suffixes. Subdomains cost nothing, so
 * all names under one registrable domain share its limits. A complete list of suffixes would be a dependency that goes
 * out of date.
 */
const PATTERN = '(?<![^.])(?:[^.]+[.])?(?:(?:ac|co|com|edu|go|gov|ne|net|or|org)[.][a-z]{2}|[^.]+)$'
const REGISTRABLE = new RegExp(PATTERN)

/** `a.bank.co.uk` → `bank.co.uk`. */
export function registrableDomain(domain: string): string {
  return REGISTRABLE.exec(domain)?.[0] ?? domain
}

/** The registrable domain of an address, as an SQL expression. */
export function registrableDomainSql(address: string): string {
  return `substring(split_part(${address}, '@', 2) from '${PATTERN}')`
}
