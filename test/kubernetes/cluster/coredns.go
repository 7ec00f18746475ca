// CoreDNS with the plugins for the names of a cluster; those for clouds would triple what is compiled.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() {
	// In the order in which a query passes them.
	dnsserver.Directives = []string{"ready", "health", "errors", "loadbalance", "kubernetes", "template"}
	coremain.Run()
}
