import json
import logging
import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

logging.basicConfig(level=logging.INFO, stream=sys.stderr)
asked = json.load(sys.stdin)
api.set_provider(OFREPProvider(asked["url"], headers_factory=lambda: asked["headers"]))
client = api.get_client()
attributes = dict(asked["context"])
context = EvaluationContext(attributes.pop("targetingKey"), attributes)

results = []
for case in asked["cases"]:
    ask = getattr(client, f"get_{case['type']}_details")
    details = ask(case["key"], case["fallback"], context)
    results.append(
        {
            "value": details.value,
            "variant": details.variant,
            "reason": details.reason,
            "error": details.error_code,
        }
    )
print(json.dumps(results))
