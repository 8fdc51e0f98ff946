#include "tests/cmocka.h"
#include "tests/unit/translate/model/model_fixture.h"

static const struct device_case {
    const char *devices[2];
    size_t device_count;
    const char *annotations[2][2];
    size_t annotation_count;
    const char *refused; /* the field, or NULL */
} cases[] = {
    {.device_count = 0},
    {.devices = {"a.io/gpu=1"}, .device_count = 1, .refused = "CDI_devices[0].name"},
    {.devices = {"a.io/gpu=1"}, .device_count = 1, .annotations = {{"cdi.k8s.io/x", "a.io/gpu=1"}}, .annotation_count = 1},
    {.devices = {"a.io/gpu=1", "b.io/nic=2"},
     .device_count = 2,
     .annotations = {{"cdi.k8s.io/x", "a.io/gpu=0,a.io/gpu=1"}, {"cdi.k8s.io/y", "b.io/nic=2"}},
     .annotation_count = 2},
    {.devices = {"a.io/gpu=1", "b.io/nic=2"},
     .device_count = 2,
     .annotations = {{"cdi.k8s.io/x", "a.io/gpu=1,"}},
     .annotation_count = 1,
     .refused = "CDI_devices[1].name"},
    /* Only whole names of the right annotations count. */
    {.devices = {"a.io/gpu=1"},
     .device_count = 1,
     .annotations = {{"cdi.k8s.io/x", "a.io/gpu=10"}, {"cdi.k8s.io/y", "xa.io/gpu=1"}},
     .annotation_count = 2,
     .refused = "CDI_devices[0].name"},
    {.devices = {"a.io/gpu=1"},
     .device_count = 1,
     .annotations = {{"example.com/cdi.k8s.io/x", "a.io/gpu=1"}},
     .annotation_count = 1,
     .refused = "CDI_devices[0].name"},
    {.devices = {""},
     .device_count = 1,
     .annotations = {{"cdi.k8s.io/x", ""}, {"cdi.k8s.io/y", ","}},
     .annotation_count = 2,
     .refused = "CDI_devices[0].name"},
};

ALL_TESTS(NULL, fixture_end)

TEST(devices_that_annotations_repeat_go_down_and_are_counted)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Model__CDIDevice devices[2] = {MODEL__CDIDEVICE__INIT, MODEL__CDIDEVICE__INIT};
        Model__CDIDevice *device_list[] = {&devices[0], &devices[1]};
        Model__ContainerConfig__AnnotationsEntry annotations[2] = {MODEL__CONTAINER_CONFIG__ANNOTATIONS_ENTRY__INIT,
                                                                   MODEL__CONTAINER_CONFIG__ANNOTATIONS_ENTRY__INIT};
        Model__ContainerConfig__AnnotationsEntry *annotation_list[] = {&annotations[0], &annotations[1]};
        for (size_t k = 0; k < 2; k++) {
            devices[k].name = (char *)(uintptr_t)cases[i].devices[k];
            annotations[k].key = (char *)(uintptr_t)cases[i].annotations[k][0];
            annotations[k].value = (char *)(uintptr_t)cases[i].annotations[k][1];
        }
        fixture_begin_container(LEVEL_EMPTY);
        fixture.container.cdi_devices = device_list;
        fixture.container.n_cdi_devices = cases[i].device_count;
        fixture.container.annotations = annotation_list;
        fixture.container.n_annotations = cases[i].annotation_count;
        if (cases[i].refused) {
            fixture_expect_refusal(normalise_cdi_devices, cases[i].refused);
        } else {
            assert_true(fixture_run(normalise_cdi_devices));
            assert_int_equal(fixture.container.n_cdi_devices, 0);
            assert_int_equal(fixture.container.n_annotations, cases[i].annotation_count);
            assert_int_equal(fixture_losses("ContainerConfig.CDI_devices"), cases[i].device_count);
            assert_int_equal(fixture.report.dropped, cases[i].device_count);
        }
    }
}

TEST(only_the_default_stop_signal_goes_down)
{
    fixture_begin_container(LEVEL_EMPTY);
    fixture_expect_untouched(normalise_stop_signal);
    fixture.container.stop_signal = MODEL__SIGNAL__SIGNAL_SIGTERM;
    fixture_expect_refusal(normalise_stop_signal, "stop_signal");
    fixture.container.stop_signal = (Model__Signal)4711;
    fixture_expect_refusal(normalise_stop_signal, "stop_signal");
}

TEST(pods_have_neither)
{
    fixture_begin_pod(LEVEL_EMPTY);
    fixture_expect_untouched(normalise_cdi_devices);
    fixture_expect_untouched(normalise_stop_signal);
}
