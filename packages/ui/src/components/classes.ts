/** Looks that several components share. */

/** The frame of what is typed into. */
export const inputFrame =
  'flex w-full min-w-0 h-control items-center gap-2 rounded-2 border border-control bg-raised px-2.5 text-13 ' +
  'focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus ' +
  'has-aria-invalid:border-danger-mark has-aria-invalid:inset-ring has-aria-invalid:inset-ring-danger-mark ' +
  'has-[input[readonly]]:border-line has-[input[readonly]]:bg-sunken touch:min-h-11'

/** The input within {@link inputFrame}. */
export const bareInput = 'min-w-0 flex-1 outline-none'

export const layer = 'layer-motion rounded-3 bg-raised shadow-layer outline-none'

/** One line of a menu, a list or the palette. */
export const menuItem =
  'flex w-full h-control items-center gap-2 rounded-2 px-2 text-13 outline-none cursor-default select-none ' +
  'data-highlighted:bg-hover aria-disabled:text-faint touch:min-h-11'

export const link =
  'text-accent underline decoration-accent-line underline-offset-[0.2em] hover:decoration-current'

/** Seen by those who listen only. */
export const hidden = 'sr-only'
