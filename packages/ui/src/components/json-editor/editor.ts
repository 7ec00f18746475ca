import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { findJsonProblem } from './json.ts'

export interface EditorOptions {
  /** Gets a shadow root with the editor in it. */
  readonly host: HTMLElement
  readonly text: string
  readonly isReadOnly: boolean
  /** What is said of a place that is no JSON. */
  readonly problem: (line: number) => string
  readonly onChange: (text: string) => void
  readonly onBlur: () => void
}

export interface Editor {
  /** Puts another text in, unless it is there. */
  setText(text: string): void
  /** Its name for screen readers. */
  describe(attributes: Readonly<Record<string, string>>): void
  focus(from: number, to: number): void
  destroy(): void
}

const look = EditorView.theme({
  '&': { color: 'var(--text)', fontSize: 'var(--t-12)', minHeight: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65', minHeight: 'inherit' },
  '.cm-content': { padding: '0.4375rem 0', minHeight: 'inherit', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 0.625rem' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger-mark)',
    textUnderlineOffset: '0.25em',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--danger-mark)' },
  '.cm-tooltip': {
    border: '0',
    borderRadius: 'var(--r-2)',
    backgroundColor: 'var(--raised)',
    boxShadow: 'var(--shadow-layer)',
    fontFamily: 'var(--font)',
  },
  '.cm-diagnostic-error': { borderLeft: '0', padding: '0.25rem 0.5rem' },
})

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
])

/** An editor of JSON in a shadow root: its styles are adopted there, for which a strict CSP needs no exception. */
export function createEditor(options: EditorOptions): Editor {
  const { host, text, isReadOnly, problem, onChange, onBlur } = options
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const described = new Compartment()
  let isSetting = false
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        // The page has Ctrl-Enter, and Tab leaves the editor.
        keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap]),
        json(),
        indentUnit.of('  '),
        indentOnInput(),
        bracketMatching(),
        syntaxHighlighting(colors),
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadOnly),
        linter(({ state }) => toDiagnostics(state.doc.toString(), problem), { delay: 400 }),
        look,
        described.of([]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) onChange(update.state.doc.toString())
          if (update.focusChanged && !update.view.hasFocus) onBlur()
        }),
      ],
    }),
  })
  return {
    setText(next) {
      const current = view.state.doc.toString()
      if (next === current) return
      isSetting = true
      view.dispatch({ changes: { from: 0, to: current.length, insert: next } })
      isSetting = false
    },
    describe(attributes) {
      const effects = described.reconfigure(EditorView.contentAttributes.of(attributes))
      view.dispatch({ effects })
    },
    focus(from, to) {
      const { length } = view.state.doc
      view.dispatch({ selection: { anchor: Math.min(from, length), head: Math.min(to, length) } })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

function toDiagnostics(text: string, problem: EditorOptions['problem']) {
  const found = text.trim() === '' ? undefined : findJsonProblem(text)
  if (found === undefined) return []
  const { offset, line } = found
  const to = Math.min(offset + 1, text.length)
  return [{ from: Math.min(offset, to), to, severity: 'error' as const, message: problem(line) }]
}
