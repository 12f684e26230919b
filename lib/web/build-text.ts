import { buildInfo, UNKNOWN } from '../platform/build-info'

/** "Version 0.1.0 (1a2b3c4)". */
export function buildText(): string {
  const { version, commit } = buildInfo()
  if (commit === UNKNOWN) return `Version ${version}, commit unknown.`
  return `Version ${version} (${commit.slice(0, 7)}${commit.endsWith('-dirty') ? ', changed' : ''}).`
}
