import { addressOf } from 'uma-auth-vasp'
import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { DescriptionItem } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { ERROR_RECIPES, type ErrorRecipe, type RecipeStep } from '@/lib/sandbox/test-values/error-recipes'
import { TestMemos, TestRecipients, tryAddress } from '../../../sandbox/slots/test-values'
import { DeveloperHeading } from '../developer-links'

export const generateMetadata = toolsTitle('Error recipes')

/** How to get each error of the API in a browser. */
export default async function ErrorRecipesPage() {
  await requireSandboxTools()
  const current = application()
  const { sampleAppUrl, vaspName } = current.settings
  return (
    <div className="py-8">
      <DeveloperHeading page="/developers/errors" />
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
      <nav aria-label="Codes" className="mt-6">
        <ul className="flex flex-wrap gap-x-5">
          {ERROR_RECIPES.map(({ code }) => (
            <li key={code}>
              <a className="tap font-mono text-sm" href={`#${code}`}>
                {code}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {ERROR_RECIPES.map((recipe) => (
        <Recipe key={recipe.code} recipe={recipe} domain={current.settings.vaspDomain} />
      ))}
      <div className="double-rule mt-10" />
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
    <section aria-labelledby={code} className="mt-8 max-w-3xl">
      <h2 id={code} className="scroll-mt-24 font-mono text-lg">
        {code}
      </h2>
      <dl className="mt-2">
        <DescriptionItem term="HTTP status">{status}</DescriptionItem>
        <DescriptionItem term="Comes from">{source}</DescriptionItem>
        <DescriptionItem term="The app receives">
          <code>{`{"code": "${code}", "message": "${message}"}`}</code>
        </DescriptionItem>
        <DescriptionItem term="How to get it">
          <ul className="grid gap-2">
            {steps.map((step, index) => (
              <li key={index}>
                <Step step={step} code={code} domain={domain} />
              </li>
            ))}
          </ul>
        </DescriptionItem>
      </dl>
    </section>
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
