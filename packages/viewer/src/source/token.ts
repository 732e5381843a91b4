/** The secret of a server that the page asks. It came in the fragment of the address, or was typed, and is kept for this tab only. */
const key = "ligature-token"

/** Takes the secret out of the address, so that it is in no bookmark. */
export const takeToken = (): { readonly token: string; readonly first?: string } => {
  const given = new URLSearchParams(location.hash.slice(1))
  const token = given.get("token")
  const first = given.get("open") ?? undefined
  if (token !== null) {
    keepToken(token)
    history.replaceState(null, "", `${location.pathname}#/`)
  }
  return { token: token ?? sessionStorage.getItem(key) ?? "", ...(first !== undefined && { first }) }
}

export const keepToken = (token: string): void => sessionStorage.setItem(key, token)
