/** Text from the page to the person: as a file, or on the clipboard. */
export const download = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

export const copy = (text: string): Promise<void> => navigator.clipboard.writeText(text)
