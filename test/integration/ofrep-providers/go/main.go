package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

type question struct {
	Url     string
	Headers map[string]string
	Context map[string]any
	Cases   []struct {
		Type, Key string
		Fallback  any
	}
}

type result struct {
	Value   any    `json:"value"`
	Variant string `json:"variant,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Error   string `json:"error,omitempty"`
}

func main() {
	var asked question
	check(json.NewDecoder(os.Stdin).Decode(&asked))
	options := []ofrep.Option{}
	for name, value := range asked.Headers {
		options = append(options, ofrep.WithHeader(name, value))
	}
	check(openfeature.SetProviderAndWait(ofrep.NewProvider(asked.Url, options...)))
	client := openfeature.NewDefaultClient()
	key, _ := asked.Context["targetingKey"].(string)
	delete(asked.Context, "targetingKey")
	whom := openfeature.NewEvaluationContext(key, asked.Context)

	ctx := context.Background()
	results := []result{}
	for _, it := range asked.Cases {
		switch it.Type {
		case "boolean":
			details, _ := client.BooleanValueDetails(ctx, it.Key, it.Fallback.(bool), whom)
			results = append(results, toResult(details.Value, details.EvaluationDetails))
		case "string":
			details, _ := client.StringValueDetails(ctx, it.Key, it.Fallback.(string), whom)
			results = append(results, toResult(details.Value, details.EvaluationDetails))
		case "integer":
			details, _ := client.IntValueDetails(ctx, it.Key, int64(it.Fallback.(float64)), whom)
			results = append(results, toResult(details.Value, details.EvaluationDetails))
		case "float":
			details, _ := client.FloatValueDetails(ctx, it.Key, it.Fallback.(float64), whom)
			results = append(results, toResult(details.Value, details.EvaluationDetails))
		default:
			details, _ := client.ObjectValueDetails(ctx, it.Key, it.Fallback, whom)
			results = append(results, toResult(details.Value, details.EvaluationDetails))
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(results))
}

func toResult(value any, details openfeature.EvaluationDetails) result {
	return result{value, details.Variant, string(details.Reason), string(details.ErrorCode)}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
