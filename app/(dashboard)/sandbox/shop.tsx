export function Shop({ url, gateway }: { readonly url: string | undefined; readonly gateway: string }) {
  if (url === undefined) return null
  return (
    <section aria-labelledby="shop" className="mt-12">
      <h2 id="shop">Shop</h2>
      <p className="mt-2 max-w-2xl text-muted">
        The sample shop receives payments in its own wallet. <code>npm run demo</code> connects it to Bob when it
        starts. A reset of Bob ends that connection. To connect the shop again, sign in as Bob at the gateway, create a
        connection that may receive payments, and paste its pairing URI into the shop.
      </p>
      <p className="actions mt-3">
        <a className="button" href={`${gateway}/connection/new`}>
          Create the connection
        </a>
        <a className="button" href={`${url.replace(/\/$/, '')}/merchant`}>
          Open the shop&rsquo;s wallet
        </a>
      </p>
    </section>
  )
}
