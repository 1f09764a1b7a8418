package analyzer

import "testing"

func TestReleases(t *testing.T) {
	for _, c := range []struct {
		component, a, b string
		want            int
	}{
		{componentKubelet, "v1.24.9-gke.1", "1.24.9", 0},
		{componentKubelet, "v1.29.10-eks-94953ac", "1.29.9", 1},
		{componentKubelet, "v1.22.3+k3s1", "1.22.4", -1},
		{componentKubelet, "v1.27.0-rc.1", "1.27.0", -1},
		{componentKubelet, "v1.27.0-alpha.3", "1.26.9", 1},
		{componentKubelet, "v1.9.11", "1.10.0", -1},
		{componentKubelet, "1.22", "1.22.0", 0},
		{componentContainerd, "1.6.20", "1.6.24", -1},
		{componentContainerd, "2.0.0-rc.3", "2.0.0", -1},
		{componentContainerd, "1.6.20~ds1", "1.6.20", 0},
		{componentDocker, "19.3.5", "20.10.0", -1},
		{componentKernel, "5.4.0-132-generic", "5.4.0-135", -1},
		{componentKernel, "5.4.0-135-generic", "5.4.0-135", 0},
		{componentKernel, "6.1.115-126.197.amzn2023.aarch64", "6.1.115", 1},
		{componentKernel, "3.10.0-1160.el7.x86_64", "3.15.0", -1},
	} {
		if got := releaseOf(c.component, c.a).compare(releaseOf(c.component, c.b)); got != c.want {
			t.Errorf("%s: %s against %s: %d, want %d", c.component, c.a, c.b, got, c.want)
		}
	}
	for _, text := range []string{"", "v", "unknown", "7", "<none>", "-1.2"} {
		if r := releaseOf(componentKubelet, text); r != nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
}

func FuzzRelease(f *testing.F) {
	for _, s := range []string{"v1.24.9-gke.1", "5.4.0-132-generic", "6.1.115-126.197.amzn2023", "2.0.0-rc.3", "1.", "1.2-", "99999999999.1.2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, component := range []string{componentKubelet, componentKernel} {
			r := releaseOf(component, text)
			if len(r) == 1 || r.compare(r) != 0 || !r.within(r) {
				t.Errorf("%q: %v", text, r)
			}
		}
	})
}
