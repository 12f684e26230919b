import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import connectAnApp from '@/docs/connect-an-app.md'
import testYourApp from '@/docs/test-your-app.md'
import { application } from '@/lib/backend/application'
import type { Settings } from '@/lib/platform/config'

export const generateMetadata = toolsTitle('App guide')

const GUIDES = [connectAnApp, testYourApp]

/** The documents for developers of apps, whose readers may have no copy of the repository. */
export default async function StartPage() {
  const { address } = await requireSandboxTools()
  const { settings } = application()
  return (
    <div className="py-8">
      <h1>App guide</h1>
      <p className="mt-3 max-w-2xl text-muted">
        This server runs already, so leave out <code>npm run demo</code>, and copy the example from{' '}
        <a href="#connect-an-app-the-example">the end of the first guide</a>. The guides show this server’s addresses,
        and yours: <code>{address}</code>.
      </p>
      <nav aria-label="Contents" className="mt-6 grid gap-x-12 md:grid-cols-2">
        {GUIDES.map(({ id, title, sections }) => (
          <div key={id} className="line py-3">
            <a className="tap font-serif text-lg" href={`#${id}`}>
              {title}
            </a>
            <ul className="columns-2 gap-x-6">
              {sections.map((section) => (
                <li key={section.id}>
                  <a className="row-link" href={`#${section.id}`}>
                    {section.title}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {GUIDES.map(({ id, title, html }) => (
        <section key={id} aria-labelledby={id} className="mt-12">
          <h2 id={id}>{title}</h2>
          <div className="double-rule mt-3" />
          <div className="document" dangerouslySetInnerHTML={{ __html: fillIn(html, address, settings) }} />
        </section>
      ))}
    </div>
  )
}

/** The addresses of the reader and of this server in place of the demo's. None has a character that HTML escapes. */
function fillIn(html: string, address: string, { publicOrigin, vaspDomain, gatewayRootUrl }: Settings): string {
  return html
    .replaceAll('$alice@localhost:3000', () => address)
    .replaceAll('http://localhost:3000', publicOrigin)
    .replaceAll('localhost:3000', vaspDomain)
    .replaceAll('http://localhost:8080', gatewayRootUrl.origin)
}
