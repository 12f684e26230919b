/**
 * Shown while the remote VASP is asked about a recipient. A browser without JavaScript cannot replace it: `globals.css` then hides it and
 * shows the page where the server sends it.
 */
export default function SendLoading() {
  return (
    <div className="py-8 noscript:hidden">
      <h1>Send</h1>
      <output className="mt-6 block text-muted">Looking up the recipient …</output>
    </div>
  )
}
