/** Puts a text into the clipboard, also where the page came by plain http. */
export async function copyText(text: string): Promise<void> {
  // Browsers have it on secure pages only, whatever its type says.
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard !== undefined) return clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  const focused = document.activeElement
  // Within a dialog, which would take the focus back.
  const layers = document.querySelectorAll('[role=dialog], [role=alertdialog]')
  const place = layers[layers.length - 1] ?? document.body
  place.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!isDone) throw new Error('the browser does not copy')
}
