import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { FileChooser } from './file-chooser.tsx'
import { FilesCrumbs, FilesHead } from './head.tsx'
import { ImportReview } from './import-review.tsx'
import type { ReadFile } from './read-file.ts'

/** A file of flags, looked at before it is applied. */
export function ImportPage() {
  const [file, setFile] = useState<ReadFile>()
  // What is chosen again is another review, also of the same file.
  const [count, setCount] = useState(0)
  return (
    <>
      <FilesCrumbs />
      <Page>
        <FilesHead page="import" />
        {file === undefined ? (
          <FileChooser
            onRead={(read) => {
              setFile(read)
              setCount(count + 1)
            }}
          />
        ) : (
          <ImportReview key={count} file={file} onClose={() => setFile(undefined)} />
        )}
      </Page>
    </>
  )
}
