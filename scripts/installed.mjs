// Whether node_modules matches package-lock.json. Plain Node.
import { existsSync, readFileSync } from 'node:fs'

/** npm writes this file on each install: the installed versions. */
const INSTALLED = 'node_modules/.package-lock.json'

/**
 * @typedef {{ version?: string, dev?: boolean, devOptional?: boolean, optional?: boolean }} LockedPackage
 * @typedef {Record<string, LockedPackage>} LockedPackages
 */

/**
 * @param {{ withDev: boolean }} options `withDev: false` accepts an install by `npm ci --omit=dev`.
 * @returns {boolean}
 */
export function isInstalled({ withDev }) {
  if (!existsSync(INSTALLED)) return false
  return hasAll(packagesOf('package-lock.json'), packagesOf(INSTALLED), { withDev })
}

/**
 * Binaries for other platforms may be missing. Every installed package has the version of the lock file.
 * @param {LockedPackages} locked
 * @param {LockedPackages} installed
 * @param {{ withDev: boolean }} options
 * @returns {boolean}
 */
export function hasAll(locked, installed, { withDev }) {
  return Object.entries(locked).every(([path, { version, dev, devOptional, optional }]) => {
    if (path === '') return true
    const found = installed[path]
    if (found !== undefined) return found.version === version
    return optional === true || (!withDev && (dev === true || devOptional === true))
  })
}

/** @param {string} file @returns {LockedPackages} */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}
