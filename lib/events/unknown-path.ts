/** In a summary, which is cut. The event's page shows more of the path. */
const MAX_SHOWN_PATH = 120

/**
 * The summary of a call to a path that the API does not have.
 * @param refusal why the call was refused, as in the summary of other calls.
 */
export function summaryOfUnknownPath(method: string, path: string, refusal: string): string {
  const shown = path.length > MAX_SHOWN_PATH ? `${path.slice(0, MAX_SHOWN_PATH)}…` : path
  const reason = hasDoubleSlash(path) ? 'VASP_UMA_API_BASE_URL of the gateway ends with a slash' : refusal
  return `${method} ${shown}: ${reason}`
}

/** What such a path shows about the settings of the gateway, and what to do. */
export function adviceOnPath(path: string): string {
  return hasDoubleSlash(path)
    ? 'The path has two slashes in a row, because VASP_UMA_API_BASE_URL of the gateway ends with a slash. Remove the slash at its end and restart the gateway.'
    : 'Compare VASP_UMA_API_BASE_URL and UMA_VASP_TOKEN_EXCHANGE_URL of the gateway with the gateway kit. If an app or a test sent this call, correct its address.'
}

function hasDoubleSlash(path: string): boolean {
  return path.includes('//')
}
