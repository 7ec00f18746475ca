import type { Flag } from '@svc/client/api'
import { useMutation } from '@tanstack/react-query'
import { Switch } from '../../components/switch.tsx'
import { showToast } from '../../components/toast.tsx'
import { api, queryClient } from '../../data/api.ts'
import { Rich } from '../../text/rich.tsx'
import { useText } from '../../text/text.ts'

interface Props {
  readonly flag: Flag
  readonly namespace: { readonly key: string; readonly name: string }
}

/** Moves at once, and back when the service refuses. */
export function FlagSwitch({ flag, namespace }: Props) {
  const t = useText()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (enabled: boolean) => api.flags.update(toUpdate(flag, enabled)),
    onSuccess(_, enabled) {
      const say = enabled ? t.flags.isOn : t.flags.isOff
      const undo = { label: t.common.undo, run: () => mutate(!enabled) }
      showToast(<Rich text={say(flag.name, namespace.name)} />, { action: undo })
    },
    onError({ message }) {
      const text = <Rich text={t.flags.notSwitched(flag.name, message)} />
      showToast(text, { isFailure: true })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['flags', namespace.key] }),
  })
  const isOn = isPending ? variables : flag.enabled
  const name =
    flag.type === 'BOOLEAN_FLAG_TYPE'
      ? t.flags.switchBoolean(flag.name, isOn)
      : t.flags.switchVariant(flag.name, isOn)
  return <Switch isOn={isOn} name={name} onChange={mutate} />
}

/** An update replaces all: what is left out of it would be cleared. */
function toUpdate(
  { namespaceKey, key, name, description, defaultVariant }: Flag,
  enabled: boolean,
) {
  const defaultVariantId = defaultVariant?.id
  return { namespaceKey, key, name, description, enabled, defaultVariantId }
}
