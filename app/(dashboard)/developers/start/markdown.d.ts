/** A document of this repository, rendered by `scripts/markdown.mjs` while the server is built. */
declare module '*.md' {
  const guide: {
    readonly id: string
    readonly title: string
    readonly html: string
    readonly sections: readonly { readonly id: string; readonly title: string }[]
  }
  export default guide
}
