import { html } from 'hono/html'
import { currencyOf, isCurrencyCode } from '../../../lib/money/currencies'
import { formatUnits } from '../../../lib/money/format'
import { fieldOf } from '../../../lib/web/form-fields'
import { moment } from '../../shared/moments'
import { choiceField, textField, type Html } from '../../shared/page'
import { AS_ASKED, LIVES, type FieldProblem, type Refused } from '../approval'
import type { Ask } from '../authorize'
import { FREQUENCIES, type AskedBudget } from '../budget'
import { ALWAYS_TITLE, askedGroups, commandsOf, GROUPS, type AskedGroup } from '../commands'
import type { Login } from '../login'
import { plainMoney } from '../money-text'
import { page } from '../page'
import type { GatewaySettings } from '../settings'

/** The public gateway's default, in smallest units of any currency. */
const USUAL_LIMIT = 50_000

/** For a connection that the user pairs manually. */
export function manualApprovalView(settings: GatewaySettings, login: Login, name: string, refused?: Refused): Html {
  const supported = settings.VASP_SUPPORTED_COMMANDS
  return page(
    { login },
    'Approve',
    html`<h1>Connect ${login.address}</h1>
      <p class="lead">
        Any app with this pairing URI can do what you allow here, until the connection expires or you disconnect it. The
        URI is shown only once.
      </p>
      <form action="/connection/new" method="post">
        ${textField({
          name: 'name',
          label: 'Name of the app',
          value: name,
          more: html`maxlength="80" required`,
          ...at('name', refused),
        })}
        <fieldset>
          <legend>The app can</legend>
          ${always(supported)}
          ${GROUPS.map((group) => {
            const commands = group.commands.filter((command) => supported.includes(command))
            return groupChoice({ ...group, commands }, settings.VASP_NAME, refused)
          })}
        </fieldset>
        ${termsOf(login, undefined, undefined, refused)} ${decision()}
      </form>`,
  )
}

/** For an app that requests a connection by OAuth. */
export function appApprovalView(
  settings: GatewaySettings,
  login: Login,
  ask: Ask,
  askId: string,
  refused?: Refused,
): Html {
  const groups = askedGroups(ask.required, ask.optional)
  return page(
    { login },
    `Approve ${ask.app.name}`,
    html`<h1>Connect ${ask.app.name} to ${login.address}</h1>
      <p class="lead">
        <strong>${ask.app.name}</strong> at <code>${placeOf(ask.redirectUri)}</code> would like to use your wallet at
        ${settings.VASP_NAME}. You will return to the app afterwards.
      </p>
      ${
        ask.app.redirectUrls.length > 0
          ? ''
          : html`<p class="notice bad">
              ${ask.app.name} did not register its return address, so another app can use its name. Access goes to
              <code>${placeOf(ask.redirectUri)}</code>. Continue only if you came from that app.
            </p>`
      }
      <form action="/apps/new" method="post">
        <input type="hidden" name="ask" value="${askId}" />
        <fieldset>
          <legend>The app asks to</legend>
          ${always(settings.VASP_SUPPORTED_COMMANDS)}
          ${groups.map((group) => groupChoice(group, settings.VASP_NAME, refused))}
        </fieldset>
        ${termsOf(login, ask.budget, ask.expiresAtSeconds, refused)} ${decision()}
      </form>
      <p class="label">App key: ${ask.app.publicKey.slice(0, 16)}…</p>`,
  )
}

/** The site that receives the code: the origin in ASCII, or the scheme of an app on the device. */
function placeOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return origin === 'null' ? `${protocol} (an app on this device)` : origin
}

function always(supported: readonly string[]): Html {
  return html`<p class="label">${ALWAYS_TITLE}: always (${commandsOf([], supported).join(', ')}).</p>`
}

function groupChoice(group: AskedGroup, vaspName: string, refused: Refused | undefined): Html {
  const missing = group.commands.length === 0
  const chosen = refused === undefined || group.required === true || refused.form.getAll('group').includes(group.id)
  const note = missing ? `${vaspName} does not support this yet` : group.commands.join(', ')
  return html`<label class="choice">
    <input
      type="checkbox"
      name="group"
      value="${group.id}"
      ${missing ? 'disabled' : ''}
      ${!missing && chosen ? 'checked' : ''}
      ${group.required === true ? 'disabled' : ''}
    />
    <span>${group.title}<br /><span class="label">${note}${group.required === true ? ' · required' : ''}</span></span>
  </label>`
}

/** Budget and expiry. A requested budget in another currency is not used: the user chooses one in their own. */
function termsOf(
  login: Login,
  asked: AskedBudget | undefined,
  askedEndSeconds: number | undefined,
  refused: Refused | undefined,
): Html {
  const { code, name, decimals } = login.currency
  const fits = asked?.currencyCode === code
  // A field that the user cleared is shown empty, not with its first value.
  const typed = (field: string, otherwise: string): string => refused?.form.get(field) ?? otherwise
  const limited = refused === undefined || fieldOf(refused.form, 'limited') === 'yes'
  // Empty for a budget in another currency: an amount in the field would look like the app's request.
  const amount = typed(
    'amount',
    asked === undefined ? plainMoney(USUAL_LIMIT, decimals) : fits ? plainMoney(asked.amount, decimals) : '',
  )
  const frequency = typed('frequency', asked?.frequency ?? 'none')
  const life = typed('life', askedEndSeconds === undefined ? 'none' : AS_ASKED)
  const asAsked = askedEndSeconds === undefined ? [] : [[AS_ASKED, `As requested: ${moment(askedEndSeconds)}`] as const]
  return html`<fieldset>
      <legend>Budget</legend>
      <label class="choice"
        ><input type="checkbox" name="limited" value="yes" ${limited ? 'checked' : ''} /><span
          >Spend at most this much<br /><span class="label">untick for no limit</span></span
        ></label
      >
      <div class="row">
        ${textField({
          name: 'amount',
          label: `Amount in ${code} (${name})`,
          value: amount,
          more: html`inputmode="decimal"`,
          ...at('amount', refused),
        })}
        ${choiceField({
          name: 'frequency',
          label: 'Resets',
          value: frequency,
          choices: FREQUENCIES.map((each) => [each, each === 'none' ? 'never' : each]),
          ...at('frequency', refused),
        })}
      </div>
      ${
        asked === undefined || fits
          ? ''
          : html`<p class="label">
              The app asked for a budget of ${askedWords(asked)}. Your wallet uses ${code}. Enter a budget in ${code}.
            </p>`
      }
    </fieldset>
    ${choiceField({
      name: 'life',
      label: 'Expires',
      value: life,
      choices: [...asAsked, ...LIVES],
      ...at('life', refused),
    })}`
}

/** The requested budget as an amount where the currency's decimals are known. */
function askedWords({ amount, currencyCode }: AskedBudget): string {
  if (!isCurrencyCode(currencyCode)) return `${amount} in the smallest unit of ${currencyCode}`
  return `${formatUnits(BigInt(amount), currencyOf(currencyCode).decimals)} ${currencyCode}`
}

function decision(): Html {
  return html`<p class="row">
    <button class="main" name="decision" value="connect">Connect</button
    ><button class="grave" name="decision" value="deny" formnovalidate>Deny</button>
  </p>`
}

/** The problem of the field that was rejected. */
function at(field: FieldProblem['field'], refused: Refused | undefined): { readonly problem?: string } {
  return field === refused?.problem.field ? { problem: refused.problem.message } : {}
}
