import { addressOf } from 'uma-auth-vasp'
import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { ERROR_RECIPES, type ErrorRecipe, type RecipeStep } from '@/lib/sandbox/test-values/error-recipes'
import { TestMemos, TestRecipients, tryAddress } from '../../../sandbox/slots/test-values'
import { sendPage } from '../api/reference'

export const generateMetadata = toolsTitle('Error recipes')

/** How to get each error of the API in a browser. */
export default async function ErrorRecipesPage() {
  await requireSandboxTools()
  const current = application()
  const { sampleAppUrl, vaspName } = current.settings
  return (
    <div className="py-8">
      <h1>Error recipes</h1>
      <p className="mt-3 max-w-2xl text-muted">
        The API has ten error codes. An app receives each of them over NIP-47 as{' '}
        <code>{'{"error":{"code","message"}}'}</code>. This page shows where each error comes from and how to get it in
        a browser: an app pays a test recipient of {vaspName}, or you change something on a page.
      </p>
      {sampleAppUrl === undefined ? null : (
        <p className="mt-2 max-w-2xl text-muted">
          To pay a test recipient as an app, connect your wallet at{' '}
          <a href={`${sampleAppUrl.replace(/\/$/, '')}/wallet`}>{new URL(sampleAppUrl).host}</a>, and type the address
          under “Pay an address”.
        </p>
      )}
      <table className="mt-8 w-full text-left">
        <caption className="sr-only">The error codes</caption>
        <thead className="label max-md:sr-only">
          <tr>
            <th scope="col" className="w-56 pb-1 font-normal">
              Code and HTTP status
            </th>
            <th scope="col" className="pr-8 pb-1 font-normal">
              Comes from
            </th>
            <th scope="col" className="w-2/5 pb-1 font-normal">
              How to get it
            </th>
          </tr>
        </thead>
        <tbody>
          {ERROR_RECIPES.map((recipe) => (
            <Recipe key={recipe.code} recipe={recipe} domain={current.settings.vaspDomain} />
          ))}
        </tbody>
      </table>
      <div className="double-rule" />
      <section aria-labelledby="recipients" className="mt-10">
        <h2 id="recipients">Test recipients</h2>
        <p className="mt-2 max-w-2xl text-muted">
          Test recipients exist only on a server with sandbox tools. Users of other VASPs cannot pay them. They can pay
          $bob, who has one currency, and $alice, who has three.
        </p>
        <TestRecipients domain={current.settings.vaspDomain} />
      </section>
      <section aria-labelledby="memos" className="mt-10">
        <h2 id="memos">Test memos</h2>
        <p className="mt-2 max-w-2xl text-muted">
          Write a test memo into the memo of your own Lightning invoice, in the dashboard or with make_invoice. A
          payer’s comment has no effect.
        </p>
        <TestMemos />
      </section>
    </div>
  )
}

function Recipe({ recipe, domain }: { readonly recipe: ErrorRecipe; readonly domain: string }) {
  const { code, status, source, message, steps } = recipe
  return (
    <tr id={code} className="line align-top max-md:grid max-md:gap-y-2 max-md:py-4">
      <th scope="row" className="font-normal md:py-3">
        <code>{code}</code>
        <span className="label block md:pr-6">{status}</span>
      </th>
      <td className="md:py-3 md:pr-8">
        {source}
        <span className="label block">The app receives “{message}”</span>
      </td>
      <td className="md:py-3">
        <ul className="grid gap-1">
          {steps.map((step, index) => (
            <li key={index}>
              <Step step={step} code={code} domain={domain} />
            </li>
          ))}
        </ul>
      </td>
    </tr>
  )
}

function Step({ step, code, domain }: { readonly step: RecipeStep; readonly code: string; readonly domain: string }) {
  switch (step.kind) {
    case 'pay': {
      const address = addressOf(step.recipient, domain)
      return (
        <>
          Pay{' '}
          <a className="row-link" href={tryAddress(address)}>
            <code>{address}</code>
          </a>
          , or{' '}
          <Link href={`${sendPage('pay_to_address')}?${new URLSearchParams({ receiver_address: address })}`}>
            send the call
          </Link>
          . {step.text}
        </>
      )
    }
    case 'do':
      return step.text
    case 'inject':
      return (
        <>
          On the connection’s page under <Link href="/connections">Connections</Link>, inject <code>{code}</code> into
          the next calls.
        </>
      )
  }
}
