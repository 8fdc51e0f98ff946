module crigate/tests/peers/build/crictl-1.18

go 1.23

require github.com/kubernetes-sigs/cri-tools v1.18.0
