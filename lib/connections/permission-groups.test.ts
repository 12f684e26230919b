import { COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { permissionGroups } from './permission-groups'

const names = COMMANDS.map(({ name }) => name)

describe('permissionGroups', () => {
  it('has each command in one group', () => {
    const grouped = permissionGroups(names).flatMap(({ commands }) => commands.map(({ name }) => name))
    expect(grouped.toSorted()).toEqual(names.toSorted())
  })

  it('leaves out groups and commands that are not permitted', () => {
    expect(permissionGroups(['get_info', 'pay_invoice'])).toEqual([
      {
        title: 'Send payments',
        commands: [
          expect.objectContaining({ name: 'pay_invoice', summary: 'Pay Lightning invoices from your wallet' }),
        ],
      },
      { title: 'Basics', commands: [expect.objectContaining({ name: 'get_info' })] },
    ])
  })
})
