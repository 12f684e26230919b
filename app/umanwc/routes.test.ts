import { readdirSync, readFileSync } from 'node:fs'
import { COMMANDS } from 'uma-auth-vasp'
import { expect, it } from 'vitest'

const FOLDER = 'app/umanwc/v1'

function routeFile(path: string, comment: string): readonly [string, string] {
  const lines = [
    `/** ${comment} */`,
    "export const dynamic = 'force-dynamic'",
    "export { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } from '@/app/umanwc/handlers'",
  ]
  return [`${path.slice(1).replaceAll(/\{(\w+)\}/g, '[$1]')}/route.ts`, `${lines.join('\n')}\n`]
}

it('the token exchange and each path of a command have a route file, and no other path has one', () => {
  const paths = new Set(COMMANDS.map(({ path }) => path))
  const expected = [...paths].map((path) => {
    const named = COMMANDS.filter((command) => command.path === path)
    const names = named.map(({ name, backendMethod }) => `\`${name}\`: \`${backendMethod}\` of lib/backend.`)
    return routeFile(path, names.join(' '))
  })
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
  expect(Object.fromEntries(files.map((file) => [file.slice(FOLDER.length + 1), readFileSync(file, 'utf8')]))).toEqual(
    Object.fromEntries([...expected, routeFile('/token', 'The token exchange.')]),
  )
})
