import { runScript } from '../../test/programs/run-script'
import { environmentOf } from '../../test/stack/stack'
import { expect, signInAtVasp, test, vaspOrigin } from '../support/fixtures'
import { sharedStack } from '../support/shared-stack'

test('a connection created by the token command is labelled as such, in the notice and on the connections page', async ({
  page,
}) => {
  await signInAtVasp(page, 'Khalid')
  await page.goto(`${vaspOrigin()}/connections`)
  const made = page.getByText('created by npm run token')
  const before = await made.count()
  const env = environmentOf(sharedStack())
  expect((await runScript('scripts/token.ts', env, ['khalid', '--permissions', 'get_info'])).code).toBe(0)
  await expect(page.getByText('New connection:')).toBeVisible()
  await expect(made).toHaveCount(before + 1)
})
