/** The gateway's icon: a gate, in the ochre that marks simulated things. */
export const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="#fbfaf6"/><path d="M6 28V12a10 10 0 0 1 20 0v16M6 20h20M12 28V6M20 28V6" fill="none" stroke="#8a5a00" stroke-width="2"/></svg>`
