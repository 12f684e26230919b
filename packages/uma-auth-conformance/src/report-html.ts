import type { ConformanceCase } from './case.ts'
import { countsText, escapeXml, outcomeOf } from './report.ts'
import type { Report } from './runner.ts'
import { areaOf, type CaseResult, type Status } from './verdict.ts'

const STATUS_TEXT: Readonly<Record<Status, string>> = {
  pass: 'Passed',
  fail: 'Failed',
  'not-applicable': 'Not applicable',
  'not-run': 'Not run',
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
ul { padding: 0; list-style: none; }
li { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .4rem 0; }
.status { display: inline-block; min-width: 8rem; font-weight: 600; }
.pass .status { color: light-dark(#17663a, #6fd39a); } .fail .status { color: light-dark(#a51d1d, #ff9a9a); }
.not-run .status, .not-applicable .status { color: light-dark(#5c5c5c, #b0b0b0); }
.level, .reason { color: light-dark(#4d4d4d, #c0c0c0); }
code, pre { font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; }
pre { background: color-mix(in srgb, currentColor 7%, transparent); padding: .6rem; }
blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid color-mix(in srgb, currentColor 30%, transparent); }
`

/** One file without scripts or references to other files, to attach to a ticket. Failures come first. */
export function htmlReport(report: Report, cases: readonly ConformanceCase[]): string {
  const { results, vasp, startedAt, durationMs } = report
  const failed = results.filter(({ status }) => status === 'fail')
  const areas = [...new Set(results.map(areaOf))]
  const byId = new Map(cases.map((each) => [each.id, each]))
  const entries = (list: readonly CaseResult[]): string =>
    `<ul>${list.map((result) => entry(result, byId.get(result.id))).join('\n')}</ul>`
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>UMA Auth conformance of ${escapeXml(vasp)}</title><style>${STYLE}</style>
<h1>UMA Auth conformance of ${escapeXml(vasp)}</h1>
<p><strong>${escapeXml(outcomeOf(report).text)}</strong>
${countsText(report)}.
${escapeXml(startedAt)}, ${Math.round(durationMs / 1000)} seconds. Tokens, cookies and preimages are hidden.</p>
${failed.length === 0 ? '' : `<h2>Failed</h2>${entries(failed)}`}
${areas.map((area) => `<h2>${escapeXml(area)}</h2>${entries(results.filter((result) => areaOf(result) === area))}`).join('\n')}
</html>
`
}

function entry(result: CaseResult, definition: ConformanceCase | undefined): string {
  const { id, level, title, status, reason, exchanges } = result
  const advice =
    status === 'fail' && definition !== undefined
      ? `<p>${escapeXml(definition.paragraph)}:</p><blockquote>${escapeXml(definition.quote)}</blockquote><p>What to change: ${escapeXml(definition.advice)}</p>`
      : ''
  const log = exchanges
    .map(({ request, response }) => `<pre>${escapeXml(request)}</pre><pre>${escapeXml(response)}</pre>`)
    .join('')
  return `<li class="${status}"><span class="status">${STATUS_TEXT[status]}</span> <code>${escapeXml(id)}</code> <span class="level">${level}</span>
<div>${escapeXml(title)}</div>${reason === '' ? '' : `<div class="reason">${escapeXml(reason)}</div>`}${advice}
${log === '' ? '' : `<details><summary>Requests: ${exchanges.length}</summary>${log}</details>`}</li>`
}
