/* Facts from verbose statuses, in the forms of the runtimes, and from hostile ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/convert/convert.h"
#include "translate/rebuild/rebuild.h"

#define POD_STATUS                                                                                                               \
    "{'status':{'id':'pod-1','metadata':{'name':'web','uid':'u-1','namespace':'shop','attempt':2},'state':'SANDBOX_NOTREADY',"   \
    "'createdAt':'17','network':{'ip':'10.0.0.7'},'labels':{'app':'web','io.kubernetes.pod.name':'web'},"                        \
    "'annotations':{'a/b':'c'},'runtimeHandler':'kata'}}"
#define POD_METADATA                                                                                                             \
    "'metadata':{'name':'web','uid':'u-1','namespace':'shop','attempt':2},'labels':{'app':'web','io.kubernetes.pod.name':'web'}" \
    ","                                                                                                                          \
    "'annotations':{'a/b':'c'}"

#define CONTAINER_STATUS_OPEN                                                                                                    \
    "{'status':{'id':'c-1','metadata':{'name':'main','attempt':1},'state':'CONTAINER_RUNNING','createdAt':'17',"                 \
    "'image':{'image':'web:1'},'imageRef':'sha256:00','labels':{'app':'web'},'annotations':{'x':'y'}"
#define CONTAINER_STATUS CONTAINER_STATUS_OPEN "}}"
#define CONTAINER_METADATA "'metadata':{'name':'main','attempt':1},'annotations':{'x':'y'}"

/* A text with " for ', and %s for another one; the caller's. */
static char *quoted(const char *text, const char *filling)
{
    size_t size = strlen(text) + strlen(filling) + 1;
    char *copy = malloc(size);
    assert_non_null(copy);
    snprintf(copy, size, text, filling);
    for (char *at = copy; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return copy;
}

static struct bytes with_info(struct exchange *exchange, const char *method, const char *status, struct bytes text)
{
    struct bytes response = exchange_response_bytes(exchange, method, DIALECT_MODEL, status);
    struct bytes entry =
        response_info_entry(method_by_name(method), DIALECT_MODEL, bytes_of_string("info"), text, exchange->arena);
    assert_non_null(entry.data);
    return exchange_join(exchange, response, entry);
}

static struct rebuilt_pod pod_of(struct exchange *exchange, const char *status, const char *info)
{
    struct rebuilt_pod pod;
    char *text = quoted(info, "");
    struct bytes response = with_info(exchange, "PodSandboxStatus", status, bytes_of_string(text));
    free(text);
    assert_true(rebuild_pod(response, exchange->arena, &pod, &exchange->error));
    return pod;
}

static void expect_pod(const struct rebuilt_pod *pod, const char *facts)
{
    exchange_expect_message(schema_message_by_name(DIALECT_MODEL, "PodSandboxConfig"), pod->facts, facts);
}

static struct rebuilt_container container_of_bytes(struct exchange *exchange, const char *status, struct bytes info)
{
    struct rebuilt_container container;
    struct bytes response = with_info(exchange, "ContainerStatus", status, info);
    assert_true(rebuild_container(response, exchange->arena, &container, &exchange->error));
    return container;
}

static struct rebuilt_container container_of(struct exchange *exchange, const char *status, const char *info)
{
    char *text = quoted(info, "");
    struct rebuilt_container container = container_of_bytes(exchange, status, bytes_of_string(text));
    free(text);
    return container;
}

static void expect_container(struct exchange *exchange, const struct rebuilt_container *container, const char *facts)
{
    exchange_expect_message(schema_message_by_name(DIALECT_MODEL, "ContainerConfig"),
                            exchange_join(exchange, container->facts, container->environment), facts);
}

static void expect_text(struct bytes text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

/* ---- pods ---- */

EACH_TEST(exchange_begin, exchange_end)

TEST(containerd_has_a_pods_configuration)
{
    struct rebuilt_pod pod = pod_of(
        *state, POD_STATUS,
        "{'pid':4711,'processStatus':'running','netNamespaceClosed':false,'image':'registry.k8s.io/pause:3.10',"
        "'snapshotKey':'pod-1','snapshotter':'overlayfs','runtimeHandler':'kata','runtimeType':'io.containerd.kata.v2',"
        "'runtimeOptions':{'SystemdCgroup':true},'config':{'metadata':{'name':'web','uid':'u-1','namespace':'shop','attempt':2},"
        "'hostname':'web','log_directory':'/var/log/pods/x','dns_config':{'servers':['10.96.0.10']},'labels':{'app':'web'},"
        "'linux':{'cgroup_parent':'/kubepods/burstable/podu-1','security_context':{'namespace_options':{'pid':1}},"
        "'sysctls':{'a':'b'},'overhead':{'memory_limit_in_bytes':1024},"
        "'resources':{'cpu_period':100000,'cpu_quota':-1,'cpu_shares':512,'unified':{'memory.high':'1'}}}},"
        "'runtimeSpec':{'ociVersion':'1.1.0','linux':{'cgroupsPath':'/x'}},'cniResult':{'Interfaces':{'eth0':{}}}}");
    assert_int_equal(pod.missing, 0);
    expect_text(pod.id, "pod-1");
    expect_text(pod.handler, "kata");
    expect_pod(&pod,
               "{" POD_METADATA ",'linux':{'cgroupParent':'/kubepods/burstable/podu-1','overhead':{'memoryLimitInBytes':'1024'},"
               "'resources':{'cpuPeriod':'100000','cpuQuota':'-1','cpuShares':'512','unified':{'memory.high':'1'}}}}");
}

TEST(a_pods_updated_resources_replace_those_of_its_configuration)
{
    struct rebuilt_pod pod = pod_of(*state, POD_STATUS,
                                    "{'config':{'linux':{'cgroup_parent':'/p','resources':{'cpu_shares':512,'cpuset_cpus':'0'}}},"
                                    "'overhead':{'linux':{'cpu_shares':1}},'resources':{'linux':{'cpu_shares':1024}}}");
    assert_int_equal(pod.missing, 0);
    expect_pod(&pod, "{" POD_METADATA ",'linux':{'cgroupParent':'/p','overhead':{'cpuShares':'1'},"
                     "'resources':{'cpuShares':'1024','cpusetCpus':'0'}}}");
}

TEST(what_a_configuration_lacks_is_not_missing)
{
    struct rebuilt_pod pod = pod_of(*state, POD_STATUS, "{'config':{'metadata':{'name':'web'}}}");
    assert_int_equal(pod.missing, 0);
    expect_pod(&pod, "{" POD_METADATA "}");
}

TEST(crio_has_annotations_of_a_pod)
{
    struct rebuilt_pod pod = pod_of(
        *state, "{'status':{'id':'pod-1','metadata':{'name':'web'}}}",
        "{'image':'registry.k8s.io/pause:3.10','pid':4711,'runtimeSpec':{'ociVersion':'1.2.0','process':{'args':['/pause']},"
        "'annotations':{'io.kubernetes.cri-o.CgroupParent':'/kubepods/podu-1','io.kubernetes.cri-o.RuntimeHandler':'kata',"
        "'io.kubernetes.cri-o.PodLinuxOverhead':'null',"
        "'io.kubernetes.cri-o.PodLinuxResources':'{\\'cpu_period\\':100000,\\'cpu_shares\\':2}'}}}");
    assert_int_equal(pod.missing, 0);
    expect_text(pod.handler, "kata");
    expect_pod(&pod, "{'metadata':{'name':'web'},'linux':{'cgroupParent':'/kubepods/podu-1',"
                     "'resources':{'cpuPeriod':'100000','cpuShares':'2'}}}");
    pod = pod_of(*state, "{'status':{'id':'pod-1'}}",
                 "{'runtimeSpec':{'annotations':{'io.kubernetes.cri-o.CgroupParent':'',"
                 "'pod-linux-overhead.crio.io':'{\\'cpu_shares\\':3}','pod-linux-resources.crio.io':'{}'}}}");
    assert_int_equal(pod.missing, 0);
    expect_pod(&pod, "{'linux':{'overhead':{'cpuShares':'3'},'resources':{}}}");
}

static void expect_parent(struct exchange *exchange, const char *annotation, const char *parent)
{
    char info[1024], facts[1024];
    snprintf(info, sizeof info, "{'runtimeSpec':{'annotations':{'io.kubernetes.cri-o.CgroupParent':'%s'}}}", annotation);
    struct rebuilt_pod pod = pod_of(exchange, "{'status':{'id':'p'}}", info);
    assert_int_equal(pod.missing, REBUILD_NO_RESOURCES);
    snprintf(facts, sizeof facts, "{'linux':{'cgroupParent':'%s'}}", parent);
    expect_pod(&pod, facts);
}

TEST(the_slices_above_a_slice_follow_from_its_name)
{
    expect_parent(*state, "kubepods-burstable-podu_1.slice",
                  "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podu_1.slice");
    expect_parent(*state, "system.slice", "/system.slice");
    expect_parent(*state, "/kubepods.slice/kubepods-podu_1.slice", "/kubepods.slice/kubepods-podu_1.slice");
    expect_parent(*state, "-a.slice", "-a.slice");
    expect_parent(*state, "a-.slice", "a-.slice");
    expect_parent(*state, "a--b.slice", "a--b.slice");
    expect_parent(*state, ".slice", ".slice");
    char name[512], slice[512];
    memset(name, '-', sizeof name);
    for (size_t i = 0; i < 300; i += 2) {
        name[i] = 'a';
    }
    snprintf(slice, sizeof slice, "%.299s.slice", name);
    expect_parent(*state, slice, slice); /* longer than a folder's name may be */
}

TEST(a_status_alone_lacks_the_rest)
{
    struct exchange *exchange = *state;
    struct rebuilt_pod pod;
    struct rebuilt_container container;
    struct bytes response = exchange_response_bytes(exchange, "PodSandboxStatus", DIALECT_MODEL, POD_STATUS);
    assert_true(rebuild_pod(response, exchange->arena, &pod, &exchange->error));
    assert_string_equal(rebuild_missing_text(pod.missing), "cgroup parent, resources");
    expect_pod(&pod, "{" POD_METADATA "}");
    response = exchange_response_bytes(exchange, "ContainerStatus", DIALECT_MODEL, CONTAINER_STATUS);
    assert_true(rebuild_container(response, exchange->arena, &container, &exchange->error));
    assert_string_equal(rebuild_missing_text(container.missing), "resources, environment");
    assert_int_equal(container.pod_id.len, 0);
    expect_text(container.id, "c-1");
    expect_container(exchange, &container, "{" CONTAINER_METADATA "}");
    assert_null(rebuild_missing_text(0));
    assert_string_equal(rebuild_missing_text(7), "cgroup parent, resources, environment");
}

/* ---- containers ---- */

TEST(containerd_has_a_containers_configuration)
{
    struct rebuilt_container container = container_of(
        *state, CONTAINER_STATUS,
        "{'sandboxID':'pod-1','pid':4712,'removing':false,'snapshotKey':'c-1','snapshotter':'overlayfs',"
        "'runtimeType':'io.containerd.runc.v2','runtimeOptions':{'SystemdCgroup':true},'config':{'metadata':{'name':'main'},"
        "'image':{'image':'sha256:00'},'command':['/bin/a'],'envs':[{'key':'B','value':'2 \\u003c \\u00e9 \\ud83d\\ude00 "
        "\\\\ \\n'},{'key':'A'},{'key':'B','value':'3'}],'mounts':[{'container_path':'/x','host_path':'/y'}],"
        "'linux':{'resources':{'cpu_period':100000,'cpu_quota':50000,'cpu_shares':512,'memory_limit_in_bytes':9007199254740993,"
        "'oom_score_adj':-997,'cpuset_cpus':'0-1','cpuset_mems':'0','hugepage_limits':[{'page_size':'2MB','limit':0},"
        "{'page_size':'1GB','limit':18446744073709551615}],'unified':{'memory.high':'7','io.weight':''},"
        "'memory_swap_limit_in_bytes':-1},'security_context':{'namespace_options':{'pid':1}}}}}");
    assert_int_equal(container.missing, 0);
    expect_text(container.pod_id, "pod-1");
    expect_container(
        *state, &container,
        "{" CONTAINER_METADATA ",'linux':{'resources':{'cpuPeriod':'100000','cpuQuota':'50000','cpuShares':'512',"
        "'memoryLimitInBytes':'9007199254740993','oomScoreAdj':'-997','cpusetCpus':'0-1','cpusetMems':'0',"
        "'hugepageLimits':[{'pageSize':'2MB'},{'pageSize':'1GB','limit':'18446744073709551615'}],"
        "'unified':{'memory.high':'7','io.weight':''},'memorySwapLimitInBytes':'-1'}},"
        "'envs':[{'key':'B','value':'2 < \xC3\xA9 \xF0\x9F\x98\x80 \\\\ \\n'},{'key':'A'},{'key':'B','value':'3'}]}");
}

TEST(newer_resources_replace_older_ones)
{
    static const char info[] = "{'config':{'linux':{'resources':{'cpu_quota':1,'cpu_shares':1,'cpu_period':1,'cpuset_mems':'0',"
                               "'unified':{'a':'1','b':'1'}}}},'runtimeSpec':{'process':{'oomScoreAdj':5},'linux':{'resources':{"
                               "'cpu':{'quota':2,'shares':2},'unified':{'a':'2'},'devices':[{'allow':false}]}}}}";
    struct rebuilt_container container =
        container_of(*state, CONTAINER_STATUS_OPEN ",'resources':{'linux':{'cpuShares':3,'cpusetCpus':'3'}}}}", info);
    assert_int_equal(container.missing, 0);
    expect_container(*state, &container,
                     "{" CONTAINER_METADATA
                     ",'linux':{'resources':{'cpuPeriod':'1','cpuQuota':'2','cpuShares':'3','cpusetCpus':'3',"
                     "'cpusetMems':'0','oomScoreAdj':'5','unified':{'a':'2'}}}}");
}

TEST(the_resources_of_a_status_suffice)
{
    struct rebuilt_container container =
        container_of(*state, CONTAINER_STATUS_OPEN ",'resources':{'linux':{'cpuShares':3}}}}", "{'sandboxID':'pod-1','pid':0}");
    assert_string_equal(rebuild_missing_text(container.missing), "environment");
    expect_text(container.pod_id, "pod-1");
    expect_container(*state, &container, "{" CONTAINER_METADATA ",'linux':{'resources':{'cpuShares':'3'}}}");
}

TEST(crio_has_a_containers_specification)
{
    struct rebuilt_container container = container_of(
        *state, CONTAINER_STATUS,
        "{'sandboxID':'pod-1','pid':4712,'runtimeSpec':{'ociVersion':'1.2.0','process':{'user':{'uid':0},'args':['/bin/a'],"
        "'env':['PATH=/"
        "bin','A=b=c','NOTHING','=x','EMPTY=',5],'oomScoreAdj':-997},'annotations':{'io.kubernetes.cri-o.Name':'n'},"
        "'linux':{'resources':{'devices':[{'allow':false,'access':'rwm'}],'memory':{'limit':1048576,'swap':2097152},"
        "'cpu':{'shares':512,'quota':50000,'period':100000,'cpus':'2-3','mems':'0'},'pids':{'limit':0},"
        "'hugepageLimits':[{'pageSize':'2MB','limit':4096}],'unified':{'memory.high':'9'}},'cgroupsPath':'a:b:c'}},"
        "'privileged':false}");
    assert_int_equal(container.missing, 0);
    expect_text(container.pod_id, "pod-1");
    expect_container(
        *state, &container,
        "{" CONTAINER_METADATA ",'envs':[{'key':'PATH','value':'/bin'},{'key':'A','value':'b=c'},{'key':'EMPTY'}],"
        "'linux':{'resources':{'cpuPeriod':'100000','cpuQuota':'50000','cpuShares':'512','memoryLimitInBytes':'1048576',"
        "'oomScoreAdj':'-997','cpusetCpus':'2-3','cpusetMems':'0','hugepageLimits':[{'pageSize':'2MB','limit':'4096'}],"
        "'unified':{'memory.high':'9'},'memorySwapLimitInBytes':'2097152'}}}");
}

static void expect_environment(struct exchange *exchange, const char *info, const char *environment)
{
    char facts[1024];
    struct rebuilt_container container = container_of(exchange, "{'status':{'id':'c'}}", info);
    assert_int_equal(container.missing & REBUILD_NO_ENVIRONMENT, 0);
    snprintf(facts, sizeof facts, "{'envs':%s}", environment);
    exchange_expect_message(schema_message_by_name(DIALECT_MODEL, "ContainerConfig"), container.environment, facts);
}

TEST(values_are_base64_where_the_process_has_them_decoded)
{
    expect_environment(*state,
                       "{'config':{'envs':[{'key':'PORT','value':'ODA4MA=='},{'key':'E'},{'key':'MODE','value':'dHJ1ZQ=='}]},"
                       "'runtimeSpec':{'process':{'env':['PATH=/bin','PORT=8080','E=','MODE=true']}}}",
                       "[{'key':'PORT','value':'8080'},{'key':'E'},{'key':'MODE','value':'true'}]");
    /* "8080" and "true" could be base64, too. */
    expect_environment(*state,
                       "{'config':{'envs':[{'key':'PORT','value':'8080'},{'key':'MODE','value':'true'}]},"
                       "'runtimeSpec':{'process':{'env':['PORT=8080','MODE=true']}}}",
                       "[{'key':'PORT','value':'8080'},{'key':'MODE','value':'true'}]");
    /* Another program changed the first; the second decides. */
    expect_environment(*state,
                       "{'config':{'envs':[{'key':'PORT','value':'ODA4MA=='},{'key':'MODE','value':'dHJ1ZQ=='}]},"
                       "'runtimeSpec':{'process':{'env':['PORT=9090','MODE=true']}}}",
                       "[{'key':'PORT','value':'8080'},{'key':'MODE','value':'true'}]");
    expect_environment(*state, "{'config':{'envs':[{'key':'PORT','value':'8080'}]}}", "[{'key':'PORT','value':'8080'}]");
}

/* ---- hostile answers ---- */

TEST(values_of_other_types_are_missing)
{
    struct rebuilt_pod pod = pod_of(*state, POD_STATUS, "{'config':{'linux':{'cgroup_parent':5,'resources':[],'overhead':'x'}}}");
    assert_int_equal(pod.missing, REBUILD_NO_PARENT | REBUILD_NO_RESOURCES);
    expect_pod(&pod, "{" POD_METADATA "}");
    pod = pod_of(*state, POD_STATUS, "{'config':{'linux':'x'},'runtimeSpec':[],'resources':{'linux':1}}");
    assert_int_equal(pod.missing, REBUILD_NO_PARENT | REBUILD_NO_RESOURCES);
    pod = pod_of(*state, POD_STATUS, "{'config':null,'runtimeSpec':{'annotations':{'io.kubernetes.cri-o.CgroupParent':{}}}}");
    assert_int_equal(pod.missing, REBUILD_NO_PARENT | REBUILD_NO_RESOURCES);
    struct rebuilt_container container =
        container_of(*state, CONTAINER_STATUS, "{'sandboxID':7,'config':{'envs':{},'linux':{'resources':'x'}}}");
    assert_int_equal(container.missing, REBUILD_NO_RESOURCES | REBUILD_NO_ENVIRONMENT);
    assert_int_equal(container.pod_id.len, 0);
    container = container_of(*state, CONTAINER_STATUS, "{'config':{'envs':[{'key':'A','value':'1'}5]}}");
    assert_int_equal(container.missing, REBUILD_NO_ENVIRONMENT);
    assert_int_equal(container.environment.len, 0);
    container = container_of(*state, CONTAINER_STATUS,
                             "{'config':{'envs':[5,{'key':5},{'key':'A','value':5},{'key':'B','value':'b'}],'linux':{'resources':"
                             "{'cpu_period':'x','cpu_quota':9223372036854775808,'cpu_shares':1.5,'memory_limit_in_bytes':1e3,"
                             "'oom_score_adj':-9223372036854775808,'cpuset_cpus':5,'hugepage_limits':{},'unified':[]}}}}");
    assert_int_equal(container.missing, 0);
    expect_container(*state, &container,
                     "{" CONTAINER_METADATA ",'envs':[{'key':'B','value':'b'}],"
                     "'linux':{'resources':{'oomScoreAdj':'-9223372036854775808'}}}");
}

TEST(texts_that_are_no_json_count_as_none)
{
    static const char *const texts[] = {
        "",
        " ",
        "x",
        "5",
        "[]",
        "{",
        "{'config'",
        "{'config':",
        "{'config':{}",
        "{'config':{}}x",
        "{'config':{},}",
        "{,'config':{}}",
        "{'config':{}'a':1}",
        "{'config' {}}",
        "{config:{}}",
        "{'config':{]}",
        "{'config':{'a",
        "{'config':{}\\",
        "{'config':\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rebuilt_pod pod = pod_of(*state, POD_STATUS, texts[i]);
        assert_int_equal(pod.missing, REBUILD_NO_PARENT | REBUILD_NO_RESOURCES);
        struct rebuilt_container container = container_of(*state, CONTAINER_STATUS, texts[i]);
        assert_int_equal(container.missing, REBUILD_NO_RESOURCES | REBUILD_NO_ENVIRONMENT);
    }
}

TEST(strings_that_are_no_text_count_as_none)
{
    static const char *const strings[] = {
        "\\u0000", "\\ud800", "\\udc00", "\\ud800\\u0041", "\\u12", "\\u12g4", "\\x", "\xFF", "\xC3", "a\nb", "\x01",
    };
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        char *info = quoted("{'config':{'linux':{'cgroup_parent':'%s'}}}", strings[i]);
        struct rebuilt_pod pod = pod_of(*state, POD_STATUS, info);
        free(info);
        assert_int_equal(pod.missing, REBUILD_NO_PARENT);
        expect_pod(&pod, "{" POD_METADATA "}");
    }
}

static char *repeated(const char *start, char filling, size_t count, const char *end)
{
    char *text = malloc(strlen(start) + count + strlen(end) + 1);
    assert_non_null(text);
    strcpy(text, start);
    memset(text + strlen(start), filling, count);
    strcpy(text + strlen(start) + count, end);
    return text;
}

TEST(deep_nesting_is_no_json)
{
    char *deep = repeated("{\"config\":{},\"x\":", '[', 100000, "}");
    struct rebuilt_pod pod = pod_of(*state, POD_STATUS, deep);
    assert_int_equal(pod.missing, REBUILD_NO_PARENT | REBUILD_NO_RESOURCES);
    free(deep);
    deep = quoted("{'config':{'a':%s}}", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{}]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    pod = pod_of(*state, POD_STATUS, deep);
    assert_int_equal(pod.missing, 0);
    free(deep);
}

TEST(a_text_that_is_too_long_counts_as_none)
{
    static const char start[] = "{\"config\":{\"linux\":{\"cgroup_parent\":\"/p\"}},\"x\":\"", end[] = "\"}";
    size_t rest = REBUILD_JSON_SIZE - strlen(start) - strlen(end);
    exchange_cap(*state, (size_t)64 << 20);
    char *text = repeated(start, 'x', rest, end);
    struct rebuilt_pod pod = pod_of(*state, POD_STATUS, text);
    assert_int_equal(pod.missing, 0);
    free(text);
    text = repeated(start, 'x', rest + 1, end);
    pod = pod_of(*state, POD_STATUS, text);
    assert_int_equal(pod.missing, REBUILD_NO_PARENT | REBUILD_NO_RESOURCES);
    free(text);
}

TEST(answers_that_are_no_status_are_refused)
{
    struct exchange *exchange = *state;
    const struct bytes answers[] = {{0}, BYTES(0x0A, 0x05, 0x01), BYTES(0x0A, 0x00), BYTES(0x0A, 0x04, 0x0A, 0x09, 'a', 'b')};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct rebuilt_pod pod;
        struct rebuilt_container container;
        exchange->error = (struct error){0};
        assert_false(rebuild_pod(answers[i], exchange->arena, &pod, &exchange->error));
        assert_int_equal(exchange->error.code, STATUS_INTERNAL);
        exchange->error = (struct error){0};
        assert_false(rebuild_container(answers[i], exchange->arena, &container, &exchange->error));
        assert_int_equal(exchange->error.code, STATUS_INTERNAL);
    }
}

TEST(memory_that_ends_is_an_error_or_something_missing)
{
    struct exchange *exchange = *state;
    static const char info[] = "{\"sandboxID\":\"pod-1\",\"config\":{\"envs\":[{\"key\":\"A\",\"value\":\"b\"}],\"linux\":{"
                               "\"resources\":{\"cpu_shares\":5,\"unified\":{\"a\":\"b\"}}}}}";
    struct bytes response = with_info(exchange, "ContainerStatus", CONTAINER_STATUS, bytes_of_string(info));
    unsigned failed = 0, complete = 0;
    for (size_t cap = 0; cap < 4096; cap += 16) {
        struct arena *arena = arena_new(cap);
        struct rebuilt_container container;
        struct error error = {0};
        if (!arena || !rebuild_container(response, arena, &container, &error)) {
            assert_true(!arena || error.code == STATUS_RESOURCE_EXHAUSTED);
            failed++;
        } else {
            complete += container.missing == 0;
        }
        arena_unref(arena);
    }
    assert_true(failed > 0);
    assert_true(complete > 0);
}
